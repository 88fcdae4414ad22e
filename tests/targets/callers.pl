# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that say in their names who may call them, as in callers.py: ID__A_B is called by A
# and B only, from a line on which its ID stands. A function without a name has its own name in a
# comment on each of its lines. "text" is the code of an eval STRING, "program" the program,
# "lib" the library.
#
# perl callers.pl SECONDS [PART,PART...]
use strict;
use warnings;
no warnings 'recursion';
use List::Util qw(first reduce);
use Time::HiRes qw(time setitimer ITIMER_REAL);
our ($x, $deep) = (1, 0);
my $end = time + shift;
my %wanted = map { $_ => 1 } split /,/, shift // '';

sub work__any {
	my $n = shift // 60;
	for (my $i = 0; $i < $n; $i++) {
		$x = ($x * 1103515245 + 12345) & 0x7fffffff;
	}
	return $x;
}

# Two functions that call each other, and die in the depth or not.
sub flip__recursion_raising_flop_text_warned_bare_nested {
	my ($depth, $dies) = @_;
	die "boom\n" if $depth <= 0 && $dies;
	return work__any() if $depth <= 0;
	return flop__flip($depth - 1, $dies);
}

sub flop__flip {
	my ($depth, $dies) = @_;
	my $got = $depth <= 0 ? work__any() : flip__recursion_raising_flop_text_warned_bare_nested($depth - 1, $dies);
	work__any(5);
	return $got;
}

sub recursion__loop {
	flip__recursion_raising_flop_text_warned_bare_nested(int rand 60);
	return fib__recursion_fib(9);
}

sub fib__recursion_fib {
	my $n = shift;
	return $n < 2 ? $n : fib__recursion_fib($n - 1) + fib__recursion_fib($n - 2);
}

sub raising__loop {
	eval { flip__recursion_raising_flop_text_warned_bare_nested(int rand 40, 1) };
	eval { catches__raising_catches(int rand 12) };
	return $@;
}

sub catches__raising_catches {
	my $n = shift;
	my $held = Held->new;
	eval { $n ? catches__raising_catches($n - 1) : die "inner\n"; };
	die $@ if $n % 2;
	return work__any(10);
}

sub deep__loop { return down__deep_down(100 + int rand 400); }
sub down__deep_down { my $n = shift; return $n ? down__deep_down($n - 1) : work__any(); }

# What C calls.
sub bynumber__sorting { work__any(10); return $a <=> $b; }
sub bytail__sorting_ordered { work__any(5); return $a <=> $b; }
sub ordered__lib_sorting { my $n = shift; return sort { bytail__sorting_ordered($a, $b) } 1 .. $n; }

sub sorting__loop {
	my @q = map { int rand 100 } 1 .. 12;
	my @r = sort bynumber__sorting @q;
	@r = sort { work__any(10); $a <=> $b } @q;
	@r = sort { bytail__sorting_ordered($a, $b) } @q;
	@r = sort { ordered__lib_sorting(3); $a <=> $b } @q;
	@r = sort { eval { eval { bytail__sorting_ordered() }; die "x" if $a > 50; 1 } ? 1 : $a <=> $b } @q;
	my $by = sub { work__any(10);  # by__sorting
		return $b <=> $a; };  # by__sorting
	return sort $by @q;  # by
}

sub listing__loop {
	my $found = first { work__any(10); $_ > 5 } 1 .. 8;  # found__listing_lib
	my $sum = reduce { bypair__sum($a, $b) } 1 .. 8;  # sum__listing_lib
	return grep { bygrep__listing($_) } map { bymap__listing($_) } 1 .. 5;
}
sub bypair__sum { work__any(5); return $_[0] + $_[1]; }
sub bygrep__listing { return work__any(10); }
sub bymap__listing { return work__any(10); }

sub matching__loop {
	my $s = 'a1b22c333d4';
	$s =~ s/\d+/bymatch__matching($&)/ge;
	$s =~ /c(?{ bare__matching() })/;
	$s =~ /d(?{ work__any(20) })./;
	return $s;
}
sub bymatch__matching { return work__any(10); }
sub bare__matching { return flip__recursion_raising_flop_text_warned_bare_nested(3); }

# Values that call functions.
package Tied;
sub TIESCALAR { return bless []; }
sub FETCH { return main::fetched__FETCH(); }
sub STORE { main::work__any(10); }
package Number;
use overload '+' => \&added__values, '""' => \&shown__values_lib, '<=>' => \&compared__values, 'bool' => sub { main::work__any(10) };  # truth__values_some_lib
sub new { return bless {n => $_[1]}, $_[0]; }
sub added__values { my ($l, $r) = @_; return Number->new(main::made__added($l, $r)); }
sub shown__values_lib { main::work__any(10); return 'number'; }
sub compared__values { return main::work__any(10); }
package Held;
sub new { return bless {}, shift; }
sub DESTROY { main::dropped__DESTROY(); }
package main;

sub fetched__FETCH { return work__any(10); }
sub made__added { return work__any(10); }
sub dropped__DESTROY { return work__any(10); }

sub values__loop {
	tie my $t, 'Tied';
	my $got = $t + 1;
	$t = 2;
	my $n = Number->new(1);
	my $sum = $n + 2;  # added
	my $text = "<$n>";  # shown
	my $order = $n <=> 3;  # compared
	$text = 'yes' if $n;  # truth
	my $some = first { $n } 1, 2;  # some__values_lib truth
	return $text;
}

sub dropping__loop {
	my $held = Held->new;
	undef $held;
	my @several = map { Held->new } 1 .. 3;
	return taken__dropping(Held->new);
}
sub taken__dropping { return 1; }

# Methods.
package Base;
our $AUTOLOAD;
sub new { my $class = shift; my $self = bless {}, $class; $self->begun__new(@_); return $self; }
sub begun__new { return main::work__any(10); }
sub spoken__methods_spoken { return main::work__any(10); }
sub AUTOLOAD { my $name = $AUTOLOAD; return main::loaded__AUTOLOAD(); }
sub DESTROY { }
package Derived;
our @ISA = ('Base');
sub spoken__methods_spoken { my $self = shift; main::work__any(5); return $self->SUPER::spoken__methods_spoken(@_); }
package main;

sub loaded__AUTOLOAD { return work__any(10); }

sub methods__loop {
	my $o = Derived->new;
	$o->spoken__methods_spoken;
	my $name = 'spoken__methods_spoken';
	$o->$name;  # spoken
	$o->can($name)->($o);  # spoken
	$o->undefined;
	return jumped__methods(2);  # landed
}
sub jumped__methods { work__any(5); goto &landed__methods; }
sub landed__methods { my $n = shift; return work__any(20); }

# Functions and code that are made and freed at once.
sub closures__loop {
	my $n = 5 + int rand 10;
	for my $k (1 .. 10) {
		my $f = sub { my $m = shift;  # inner__closures
			return $m + work__any($n + $k); };  # inner__closures
		$f->($k);  # inner
		sub { work__any($k) }->();  # inner__closures
	}
	return outer__closures(sub { work__any($n) });  # given__outer
}
sub outer__closures { my $f = shift; return $f->(); }  # given

sub texts__loop {
	my $n = int rand 1000;
	my $got = eval 'flip__recursion_raising_flop_text_warned_bare_nested(3)';
	$got = eval "sub made${n}__texts_text { return work__any(20); } made${n}__texts_text(1)";
	no strict 'refs';
	my $made = \&{"made${n}__texts_text"};
	$made->(2);
	undef &$made;
	eval "die 'here'";
	eval "1 1 syntax(";
	return $got;
}

sub nested__loop {
	my @q = sort { eval { flip__recursion_raising_flop_text_warned_bare_nested(2, 1) }; $a <=> $b } 3, 1, 2;
	return eval { first { eval { die "no\n" } || 1 } 1, 2 };  # tried__nested_lib
}

sub warned__hook { return flip__recursion_raising_flop_text_warned_bare_nested(2); }
sub warning__loop {
	local $SIG{__WARN__} = sub { warned__hook() };  # hook__any
	warn "here\n";
	my $n = 'abc' + 1;
	local $SIG{__DIE__} = sub { warned__hook() };  # hook__any
	eval { die "there\n" };
	return $n;
}

sub handler__any { return handled__handler(); }
sub handled__handler { return work__any(100); }

my %parts = (recursion => \&recursion__loop, raising => \&raising__loop, deep => \&deep__loop,
	sorting => \&sorting__loop, listing => \&listing__loop, matching => \&matching__loop,
	values => \&values__loop, dropping => \&dropping__loop, methods => \&methods__loop,
	closures => \&closures__loop, texts => \&texts__loop, nested => \&nested__loop,
	warning => \&warning__loop);
my @parts = map { $parts{$_} } grep { !%wanted || $wanted{$_} } sort keys %parts;

sub loop__program {
	while (time < $end) {
		$parts[rand @parts]->();  # parts
	}
	return;
}

$SIG{ALRM} = \&handler__any;
setitimer(ITIMER_REAL, 0.003, 0.003);
$| = 1;
print "ready\n";
loop__program();
