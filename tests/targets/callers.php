<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that say in their names who may call them, and are called by name: as callers.py.
//
// php callers.php SECONDS [PART,PART...]
$end = microtime(true) + (float)$argv[1];
$parts = ['recursion', 'raising', 'deep', 'generators', 'delegating', 'callbacks', 'matching',
    'closures', 'code', 'including', 'objects', 'dropping', 'arrays'];
if (isset($argv[2])) {
    $parts = explode(',', $argv[2]);
}
$included = sys_get_temp_dir() . '/callers-included-' . getmypid() . '.php';
file_put_contents($included, '<?php included__module(4);');

function work__any($n = 8) {
    $total = 0;
    for ($i = 0; $i < $n; $i++) {
        $total += $i * $i;
    }
    return $total;
}

// Two functions that call each other, with an exception from the depth or without.
function first__recursion_second_raising_inner($depth, $boom = false) {
    if ($depth <= 0) {
        if ($boom) {
            throw new Exception();
        }
        return work__any();
    }
    return second__first($depth - 1, $boom);
}

function second__first($depth, $boom) {
    try {
        return $depth <= 0 ? work__any() : first__recursion_second_raising_inner($depth, $boom);
    } finally {
        $depth = null;
    }
}

function recursion__loop() {
    return first__recursion_second_raising_inner(mt_rand(1, 60));
}

function raising__loop() {
    try {
        return first__recursion_second_raising_inner(mt_rand(1, 30), true);
    } catch (Exception $boom) {
        return $boom->getMessage();
    }
}

function deep__loop() {
    return down__deep_down(mt_rand(200, 600));
}

function down__deep_down($n, $a = 1, $b = 2) {
    return $n ? down__deep_down($n - 1) : 0;
}

// Generators, and what runs in them.
function outer__generators($n) {
    foreach (inner__outer_delegates($n) as $x) {
        yield $x;
    }
}

function inner__outer_delegates($n) {
    for ($i = 0; $i < $n; $i++) {
        if ($i == 3) {
            first__recursion_second_raising_inner(5);
        }
        yield work__any(3);
    }
}

function generators__loop() {
    $total = 0;
    foreach (outer__generators(10) as $x) {
        $total += $x;
    }
    return $total;
}

function delegates__delegating($n) {
    yield from inner__outer_delegates($n);
}

function delegating__loop() {
    $total = 0;
    foreach (delegates__delegating(10) as $x) {
        $total += $x;
    }
    return $total;
}

// Functions that C calls.
function bykey__usort($a, $b) {
    work__any(2);
    return $a <=> $b;
}

function bymap__callbacks_map($x) {
    return work__any(2) + $x;
}

function callbacks__loop() {
    $numbers = [3, 1, 2, 9, 5, 4, 7];
    usort($numbers, 'bykey__usort');
    return array_map('bymap__callbacks_map', $numbers);
}

function bymatch__preg($match) {
    return (string)work__any(2);
}

function matching__loop() {
    return preg_replace_callback('/\d+/', 'bymatch__preg', 'a1b22c333d4');
}

function called__closures($n) {
    return work__any($n);
}

function closures__loop() {
    $several = [];
    for ($i = 0; $i < 5; $i++) {
        $several[] = function ($n) use ($i) { return called__closures($n + $i); };
    }
    foreach ($several as $one) {
        $one(3);
    }
    return (fn($n) => called__closures($n))(4);
}

function evaluated__code($n) {
    return work__any($n);
}

function code__loop() {
    return eval('return evaluated__code(20);');
}

function included__module($n) {
    return work__any($n);
}

function including__loop() {
    include $GLOBALS['included'];
}

class Base {
    public $n;
    public function __construct($n) {
        $this->n = made__construct($n);
    }
    public function part__objects_sub() {
        return work__any(2);
    }
    public static function still__objects() {
        return work__any(3);
    }
    public function __get($name) {
        return got__get($name);
    }
    public function __call($name, $arguments) {
        return unnamed__call(2);
    }
}

class Derived extends Base {
    public function sub__objects() {
        return parent::part__objects_sub() + work__any(1);
    }
}

function made__construct($n) {
    return work__any($n);
}

function got__get($name) {
    return work__any(4);
}

function unnamed__call($n) {
    return work__any($n);
}

function objects__loop() {
    $one = new Derived(3);
    return $one->sub__objects() + $one->part__objects_sub() + Derived::still__objects() +
        $one->absent +
        $one->nothing(1);
}

class Dropped {
    public $itself;
    public function __destruct() {
        dropped__destruct();
    }
}

function dropped__destruct() {
    return work__any(3);
}

function dropping__loop() {
    $several = [new Dropped(), new Dropped()];
    $several = null;
    $circle = new Dropped();
    $circle->itself = $circle;
    return takes__dropping(new Dropped());
}

function takes__dropping($dropped) {
    return 1;
}

function arrays__loop() {
    $text = '';
    $list = [];
    for ($i = 0; $i < 20; $i++) {
        $list[] = [$i => $text];
        $text = $text . str_repeat('x', 30);
        $text .= (string)$i;
    }
    return strlen($text) + count(array_filter($list));
}

function loop__module($parts, $end) {
    while (microtime(true) < $end) {
        $part = $parts[array_rand($parts)];
        ($part . '__loop')(); // parts
    }
}

echo "ready\n";
loop__module($parts, $end);
unlink($included);
