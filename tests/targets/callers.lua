-- SPDX-License-Identifier: GPL-2.0-or-later
-- Functions that say in their names who may call them, as in callers.py: ID__A_B is called by A and
-- B only, from a line on which its ID stands. A function without such a name has it in a comment on the line where
-- it begins. "lib" is a function that C calls, or a coroutine's first; "main" the program.
-- All functions end with a line "end" as far to the left as they begin.
--
-- lua callers.lua SECONDS [PART,PART...]
local x, seconds, wanted = 1, tonumber(arg[1]), {}
for part in (arg[2] or ""):gmatch("%w+") do wanted[part] = true end
local load = loadstring or load

function work__any(n)
	for i = 1, n or 60 do
		x = (x * 1103515245 + 12345) % 2147483648
	end
	return x
end

-- Two functions that call each other, and raise an error in the depth or not.
function flip__recursion_tried_flop_text_nested_bare_yielding(depth, raises)
	if depth <= 0 and raises then error("boom") end
	if depth <= 0 then return (work__any()) end
	return (flop__flip(depth - 1, raises))
end

function flop__flip(depth, raises)
	local got = depth <= 0 and work__any() or flip__recursion_tried_flop_text_nested_bare_yielding(depth - 1, raises)
	work__any(5)
	return got
end

function fib__recursion_fib(n)
	return n < 2 and n or fib__recursion_fib(n - 1) + fib__recursion_fib(n - 2)
end

function recursion__loop()
	flip__recursion_tried_flop_text_nested_bare_yielding(math.random(60))
	return (fib__recursion_fib(9))
end

function catches__lib(n)
	if n > 0 then pcall(catches__lib, n - 1) else error("inner") end
	work__any(10)
	if n % 2 == 1 then error("outer") end
end

function raising__loop()
	pcall(dives__lib_dives, math.random(40), true)
	pcall(catches__lib, math.random(12))
	xpcall(function() -- tried__lib
		flip__recursion_tried_flop_text_nested_bare_yielding(3, true)
	end, handles__lib)
end
function dives__lib_dives(depth, raises)
	work__any(5)
	if depth > 0 then dives__lib_dives(depth - 1, raises) elseif raises then error("boom") end
end
function handles__lib(message)
	return (work__any(20))
end

function down__deep_down(n)
	if n == 0 then return (work__any()) end
	local got = down__deep_down(n - 1)
	return got
end
function deep__loop()
	return (down__deep_down(50 + math.random(100)))
end

-- What C calls.
function bytail__less_ordered(a, b)
	work__any(5)
	return a < b
end
function less__lib(a, b)
	local is = bytail__less_ordered(a, b)
	return is
end
function ordered__lib(a, b)
	local q = {3, 1, 2}
	table.sort(q, less__lib)
	return (bytail__less_ordered(a, b))
end
function sorting__loop()
	local q = {}
	for i = 1, 12 do q[i] = math.random(100) end
	table.sort(q, less__lib)
	table.sort(q, function(a, b) -- by__lib
		work__any(10)
		return a > b
	end)
	table.sort(q, ordered__lib)
end

function bymatch__lib(s)
	local got = bare__bymatch(s)
	return got and "q"
end
function bare__bymatch(s)
	return (flip__recursion_tried_flop_text_nested_bare_yielding(3))
end
function matching__loop()
	local s = string.gsub("a1b22c333d4", "%d+", bymatch__lib)
	return (s:gsub("%a", function(c) -- letter__lib
		work__any(10)
		return c
	end))
end

-- Values that call functions.
local meta = {}
function made__adds(a)
	return (work__any(10))
end
function adds__values(a, b)
	local got = made__adds(a)
	return setmetatable({n = got}, meta)
end
function indexes__values(t, key)
	work__any(10)
	return 1
end
function sets__values(t, key, value)
	work__any(10)
end
function compares__values(a, b)
	work__any(10)
	return true
end
function joins__values(a, b)
	local got = made__joins(a)
	return "joined"
end
function made__joins(a)
	return (work__any(10))
end
function called__values(self, n)
	work__any(n)
	return n
end
function shows__lib(self)
	work__any(10)
	return "shown"
end
meta.__add, meta.__index, meta.__newindex, meta.__lt = adds__values, indexes__values, sets__values, compares__values
meta.__concat, meta.__call, meta.__tostring = joins__values, called__values, shows__lib
meta.__le, meta.__eq, meta.__unm = compares__values, compares__values, adds__values
function values__loop()
	local a, b = setmetatable({n = 1}, meta), setmetatable({n = 2}, meta)
	local sum = a + b -- adds
	local neg = -a -- adds
	local got = a.field -- indexes
	a.other = 2 -- sets
	local less = a < b -- compares
	local same = a == b -- compares
	local text = a .. b -- joins
	local r = a(20) -- called
	return tostring(a)
end

-- Methods.
local Base = {}
Base.__index = Base
function Base.new__methods(n)
	return setmetatable({n = n}, Base)
end
function Base:spoken__methods_again(n)
	work__any(10)
	return self.n
end
function Base:again__methods(n)
	local got = self:spoken__methods_again(n)
	return got
end
function methods__loop()
	local o = Base.new__methods(2)
	local r = o:spoken__methods_again(1)
	r = o:again__methods(2)
	local name = "spoken__methods_again"
	r = o[name](o, 2) -- spoken
	return jumps__methods(2)
end
function jumps__methods(n)
	work__any(5)
	return landed__jumps(n)
end
function landed__jumps(n)
	work__any(20)
	return n
end

-- Closures, upvalues, varargs, iterators.
function outer__closures(given)
	local got = given(5) -- inner
	return got
end
function gathers__closures(...)
	local n = select("#", ...)
	local got = counted__gathers(...)
	return n + got
end
function counted__gathers(...)
	work__any(10)
	return (select("#", ...))
end
function closures__loop()
	local n = 5
	for k = 1, 5 do
		local f = function(m) -- inner__closures_outer
			return m + work__any(n + k)
		end
		local got = f(k) -- inner
		outer__closures(f)
	end
	for i in function(s, c) -- iterates__closures
		work__any(10)
		if c < 5 then return c + 1 end
	end, nil, 0 do n = n + 1 end -- iterates
	gathers__closures(1, 2, 3)
	gathers__closures(table.unpack and table.unpack({1, 2}) or unpack({1, 2}))
end

-- Coroutines.
function bystep__walks(n)
	work__any(10)
	coroutine.yield(n)
	work__any(10)
end
function walks__lib(n)
	for i = 1, n do
		bystep__walks(i)
		turns__walks_turns(2)
	end
end
function turns__walks_turns(depth)
	if depth > 0 then turns__walks_turns(depth - 1) else coroutine.yield(1) end
	work__any(5)
end
function catching__lib(n)
	local ok = pcall(walks__lib, n) -- walks
	work__any(5)
	error("done")
end
function nests__lib(n)
	local co = coroutine.wrap(n > 0 and nests__lib or walks__lib)
	co(n > 0 and n - 1 or 2)
	if n <= 0 then co() end
	work__any(10)
	local q = {3, 1, 2}
	table.sort(q, less__lib)
end
function yielding__loop()
	local co = coroutine.wrap(walks__lib)
	for i = 1, 6 do co(3) end
	local other = coroutine.create(catching__lib)
	while coroutine.resume(other, 2) do work__any(2) end
	coroutine.wrap(nests__lib)(3)
	return (flip__recursion_tried_flop_text_nested_bare_yielding(2))
end

-- Functions that are made and freed at once, and the collector.
local made = 0
function texts__loop()
	made = made + 1
	local f = load("local n = ... " .. string.rep("\n", made % 7) .. " return (flip__recursion_tried_flop_text_nested_bare_yielding(3))")
	local got = f(2) -- text
	for i = 1, 5 do load("return work__any(10)")() end -- text
end
function dropped__lib(t)
	work__any(10)
end
function dropping__loop()
	for i = 1, 5 do
		local held = setmetatable({string.rep("x", 100)}, {__gc = dropped__lib})
	end
	collectgarbage("step", 50)
	if math.random(20) == 1 then collectgarbage() end
end

function nested__loop()
	table.sort({3, 1, 2}, function(a, b) -- tries__lib
		pcall(raises__lib)
		return a < b
	end)
	return (flip__recursion_tried_flop_text_nested_bare_yielding(2))
end
function raises__lib()
	local got = string.gsub("ab", "%a", bymatch__lib)
	error(got)
end

local parts = {}
for name, part in pairs({recursion = recursion__loop, raising = raising__loop, deep = deep__loop, sorting = sorting__loop,
		matching = matching__loop, values = values__loop, methods = methods__loop, closures = closures__loop,
		yielding = yielding__loop, texts = texts__loop, dropping = dropping__loop, nested = nested__loop}) do
	if not next(wanted) or wanted[name] then parts[#parts + 1] = part end
end

function loop__main()
	local limit = os.time() + seconds
	while os.time() < limit do
		local part = parts[math.random(#parts)]
		part() -- parts
	end
end

print("ready")
io.stdout:flush()
loop__main()
