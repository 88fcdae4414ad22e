<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// Three functions, and after each round which part of the CPU time each has used so far.
function mix(int $n): int
{
	$x = 1;
	for ($i = 0; $i < $n; $i++)
		$x = ($x * 1103515245 + 12345) & 0x7fffffff;
	return $x;
}

function fifty()
{
	return mix(250000);
}

function thirty()
{
	$all = [];
	for ($i = 0; $i < 1800; $i++)
		$all[] = $i * 7919 % 1800;
	usort($all, fn($a, $b) => $b <=> $a);
	return $all[0];
}

function twenty()
{
	return preg_replace_callback('/\w+/', fn($word) => strlen($word[0]) + mix(10), str_repeat('word ', 3000));
}

function spent(): float
{
	$used = getrusage();
	return $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'] +
		($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) / 1e6;
}

$spent = ['fifty' => 0.0, 'thirty' => 0.0, 'twenty' => 0.0];
echo "ready\n";
while (true) {
	foreach ($spent as $name => $before) {
		$begin = spent();
		$name();
		$spent[$name] = $before + spent() - $begin;
	}
	foreach ($spent as $name => $used)
		printf("truth %s %.2f\n", $name, 100 * $used / array_sum($spent));
}
