# SPDX-License-Identifier: GPL-2.0-or-later
# Three functions, and after each round which part of the CPU time each has used so far.
def mix(n)
  x = 1
  n.times { x = (x * 1103515245 + 12345) & 0x7fffffff }
  x
end

def fifty
  mix(60000)
end

def thirty
  all = (1..2000).map { |i| i * 7919 % 2000 }
  all.sort { |a, b| b <=> a }
end

def twenty
  ('word ' * 600).gsub(/\w+/) { |word| word.length + mix(5) }
end

def used
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
end

spent = { fifty: 0.0, thirty: 0.0, twenty: 0.0 }
$stdout.sync = true
puts 'ready'
loop do
  spent.each_key do |name|
    start = used
    send(name)
    spent[name] += used - start
  end
  sum = spent.values.sum
  spent.each { |name, time| puts "truth Object##{name} #{100 * time / sum}" }
end
