<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// Stands still in many ways to be called, and says each time where, by PHP's own debug_backtrace:
// "truth " and the stack as folded by lines, without the line of the innermost function.
//
// php still.php SECONDS-EACH, of CPU time
function name_of($frame) {
    $function = $frame['function'];
    if ($function == 'include') {
        return '<' . basename($frame['args'][0]) . '>';
    }
    $class = isset($frame['class']) ? $frame['class'] . '::' : '';
    return $class . ($function == 'eval' ? '<eval>' : $function);
}

function spent() {
    $usage = getrusage();
    return $usage['ru_utime.tv_sec'] + $usage['ru_utime.tv_usec'] / 1e6;
}

function stand() {
    $text = 'stand';
    $frames = debug_backtrace(0);
    $frames[] = ['function' => 'include', 'args' => [__FILE__]];
    for ($i = 1; $i < count($frames); $i++) {
        $file = $frames[$i - 1]['file'] ?? '';
        $place = $file == '' ? '' : ' ' . basename($file) . ':' . $frames[$i - 1]['line'];
        $text = name_of($frames[$i]) . $place . ';' . $text;
    }
    fwrite(STDOUT, "truth $text\n");
    $end = spent() + (float)$GLOBALS['argv'][1];
    while (spent() < $end) {
        for ($i = 0; $i < 10000; $i++) {
            $text = $i;
        }
    }
}

class Still implements IteratorAggregate {
    public function method($x) {
        return stand();
    }
    public static function of_class() {
        stand();
    }
    public function __get($name) {
        return stand();
    }
    public function __toString() {
        stand();
        return '';
    }
    public function __invoke() {
        stand();
    }
    public function __destruct() {
        stand();
    }
    public function getIterator(): Iterator {
        yield stand();
    }
}

function sorts($numbers) {
    usort($numbers, function ($a, $b) {
        stand();
        return 0;
    });
}

function generates() {
    yield 1;
    yield stand();
}

function catches() {
    try {
        throw new Exception();
    } catch (Exception $e) {
        stand();
    } finally {
        stand();
    }
}

$still = new Still();
$still->method(1);
$still->absent;
"$still";
$still();
foreach ($still as $x) {
}
Still::of_class();
sorts([2, 1]);
foreach (generates() as $x) {
}
catches();
array_map([$still, 'method'], [1]);
call_user_func_array('call_user_func', ['Still::of_class']);
(fn() => stand())();
preg_replace_callback('/b/', fn($match) => (string)stand(), 'abc');
set_error_handler(function () {
    stand();
});
echo $undefined;
eval('
    stand();');
$path = sys_get_temp_dir() . '/still-included-' . getmypid() . '.php';
file_put_contents($path, "<?php\nstand();\n");
include $path;
unlink($path);
$fiber = new Fiber(fn() => stand());
$fiber->start();
spl_autoload_register(function ($class) {
    stand();
});
class_exists('Absent');
$still = null;
