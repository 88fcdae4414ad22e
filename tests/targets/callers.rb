# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that say in their names who may call them, and are called by name.
#
# A method ID__A_B may be called by A and by B only ("lib": by the library, "any": by all), from a
# line of this file on which its ID stands. A block may be called by the method in which it is
# written, from a line on which it begins, and by a method whose ID begins with "yields". So
# tests/tools/script-callers can tell of each stack whether it was possible, and whether its lines
# were right.
#
# ruby callers.rb SECONDS [THREADS [PART,PART...]]

SECONDS = ARGV[0].to_f
THREADS = (ARGV[1] || 1).to_i
WANTED = ARGV[2] && ARGV[2].split(",")
FINISH = Process.clock_gettime(Process::CLOCK_MONOTONIC) + SECONDS

class Boom < StandardError; end

# What all others call in the end.
def work__any(n = 30)
  total = 0
  i = 0
  while i < n
    total += i * i
    i += 1
  end
  total
end

# Two methods that call each other, with an exception from the depth or without.
def first__recursion_second_raising_caught(depth, boom = false)
  if depth <= 0
    raise Boom if boom
    return work__any
  end
  second__first(depth - 1, boom)
end

def second__first(depth, boom)
  depth <= 0 ? work__any : first__recursion_second_raising_caught(depth - 1, boom)
ensure
  depth = nil
end

def recursion__loop
  first__recursion_second_raising_caught(rand(1..60))
end

def raising__loop
  first__recursion_second_raising_caught(rand(1..30) * 2, true)
rescue Boom => boom
  mended__raising(boom)
ensure
  last__raising
end

def mended__raising(boom)
  boom.message + work__any(5).to_s
end

def last__raising
  work__any(5)
end

def deep__loop
  down__deep_down(rand(200..600))
end

def down__deep_down(n)
  n > 0 ? down__deep_down(n - 1) : work__any(50)
end

# Blocks that the library calls.
def callbacks__loop
  numbers = [3, 1, 4, 1, 5].map { |v| mapped__callbacks(v) }
  numbers = numbers.sort_by { |v| bykey__callbacks(v) }
  numbers.each_with_index { |v, i| [i].each { |w| inner__callbacks(v + w) } }
  numbers.inject(0) { |a, b| added__callbacks(a, b) }
  "a1b22c333d4".gsub(/\d+/) { |found| matched__callbacks(found) }
  5.times { |v| mapped__callbacks(v) }
  Hash.new { |hash, key| hash[key] = missing__callbacks(key) }[rand(9)]
  [4, 2, 9].sort { |a, b| compared__callbacks(a, b) }
end

def mapped__callbacks(v)
  work__any(5) + v
end

def bykey__callbacks(v)
  work__any(4) - v
end

def inner__callbacks(v)
  work__any(3)
end

def added__callbacks(a, b)
  a + b + work__any(2)
end

def matched__callbacks(found)
  work__any(3).to_s
end

def missing__callbacks(key)
  work__any(4)
end

def compared__callbacks(a, b)
  work__any(2)
  a <=> b
end

# Blocks that methods of the program call, also such that they have got.
def yielding__loop
  yields__yielding(3) { |v| given__yielding(v) }
  yieldsthrough__yielding { |v| given__yielding(v) }
  yieldsproc__yielding(lambda { |v| given__yielding(v) })
  yieldsproc__yielding(madeproc__yielding(4))
end

def yields__yielding(n)
  n.times { |i| yield i }
  yield n
end

def yieldsthrough__yielding(&block)
  [1, 2].each(&block)
end

def yieldsproc__yielding(proc)
  proc.call(work__any(2))
end

# Its environment goes on without it.
def madeproc__yielding(n)
  proc { |v| orphan__madeproc(v + n) }
end

def orphan__madeproc(v)
  work__any(20)
end

def given__yielding(v)
  work__any(6)
end

# Blocks that leave the methods that have called them.
def leaving__loop
  [1, 2, 3].each { |v| break if stopped__leaving_early(v) }
  caught__leaving
  early__leaving
end

def stopped__leaving_early(v)
  work__any(4) > 0 && v > 1
end

def caught__leaving
  catch(:out) { 5.times { |v| thrown__caught(v) } }
  begin
    [5].each { |v| first__recursion_second_raising_caught(v * 2, true) }
  rescue Boom
    mend__caught
  end
end

def thrown__caught(v)
  throw :out, work__any(4) if v > 2
  work__any(3)
end

def mend__caught
  work__any(9)
end

def early__leaving
  [1, 2].each { |v| return stopped__leaving_early(v) }
end

# Other stacks.
def fibers__loop
  fiber = Fiber.new { |v| 3.times { |i| Fiber.yield(infiber__fibers(v + i)) } }
  3.times { |i| fiber.resume(i) }
  numbers = Enumerator.new { |out| 3.times { |i| out << infiber__fibers(i) } }
  numbers.next + numbers.next
  numbers.lazy.map { |v| infiber__fibers(v) }.first(2)
end

def infiber__fibers(v)
  work__any(12)
end

# Methods that come to be in other ways.
class Base
  include Comparable
  attr_reader :n

  def initialize(n)
    @n = made__initialize(n)
  end

  def made__initialize(n)
    work__any(5) + n
  end

  def over__objects_over
    work__any(6)
  end

  def <=>(other)
    less__any(other)
  end

  def less__any(other)
    work__any(3)
    n <=> other.n
  end

  def self.own__objects
    work__any(600)
  end

  def method_missing(name, *rest)
    name == :absent ? found__methodmissing(rest) : super
  end

  def respond_to_missing?(name, all = false)
    name == :absent
  end

  def found__methodmissing(rest)
    work__any(8)
  end

  define_method(:dynamic) { |v| indynamic__base(v) }

  def indynamic__base(v)
    work__any(7)
  end

  def to_s
    shown__tos
  end

  def shown__tos
    work__any(5).to_s
  end
end

class Derived < Base
  def over__objects_over
    super
    work__any(4)
  end
end

def objects__loop
  several = [3, 1, 2].map { |v| Derived.new(v) }
  several.each { |one| one.over__objects_over }
  several.min
  several[0] < several[1]
  Derived.own__objects
  several[0].absent(1)
  several[0].dynamic(2)
  "#{several[1]}"
end

# Code that is made, called and freed at once.
def code__loop
  number = rand(10000)
  eval("work__any(20)")
  several = Module.new
  several.module_eval(<<~TEXT, "(made#{number})")
    def self.xa__made_made#{number}__code(n)
      xb__xa#{number}(n)
    end
    def self.xb__xa#{number}(n)
      total = 0
      n.times { |i| total += i }
      total
    end
  TEXT
  rand(1..20).times { |i| several.public_send("xa__made_made#{number}__code", 20) }
end

def garbage__loop
  list = nil
  1000.times { |i| list = [list, i.to_s] if i % 100 > 0 }
  GC.start if rand(50) == 0
  work__any(10)
end

def interrupted__loop
  Process.kill(:USR1, Process.pid)
  work__any(50)
end

Signal.trap(:USR1) { work__any(30) }

PARTS = %i[recursion__loop raising__loop deep__loop callbacks__loop yielding__loop leaving__loop
           fibers__loop objects__loop code__loop garbage__loop interrupted__loop]
parts = WANTED ? PARTS.select { |part| WANTED.include?(part.to_s.split("__")[0]) } : PARTS

def loop__main_lib(parts)
  while Process.clock_gettime(Process::CLOCK_MONOTONIC) < FINISH
    __send__(parts[rand(parts.length)])
  end
end

others = (1...THREADS).map { Thread.new { loop__main_lib(parts) } }
puts "ready"
STDOUT.flush
loop__main_lib(parts)
others.each(&:join)
