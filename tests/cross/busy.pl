# SPDX-License-Identifier: GPL-2.0-or-later
# Three functions, and after each round which part of the CPU time each has used so far.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_PROCESS_CPUTIME_ID);

sub mix {
	my ($n, $x) = (shift, 1);
	$x = ($x * 1103515245 + 12345) & 0x7fffffff for 1 .. $n;
	return $x;
}

sub fifty {
	my $x = mix(50000);
	return $x;
}

sub by_value { return $b <=> $a }

sub thirty {
	my @all = sort by_value map { $_ * 7919 % 4000 } 1 .. 4000;
	return $all[0];
}

sub twenty {
	my $text = 'word ' x 1000;
	$text =~ s/(\w+)/length($1) + mix(5)/ge;
	return $text;
}

my %spent = (fifty => 0, thirty => 0, twenty => 0);
my %functions = (fifty => \&fifty, thirty => \&thirty, twenty => \&twenty);
$| = 1;
print "ready\n";
while (1) {
	my $sum = 0;
	for my $name (sort keys %functions) {
		my $begin = clock_gettime(CLOCK_PROCESS_CPUTIME_ID);
		$functions{$name}->();
		$spent{$name} += clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $begin;
		$sum += $spent{$name};
	}
	print join('', map { sprintf "truth main::%s %.2f\n", $_, 100 * $spent{$_} / $sum } keys %spent);
}
