// SPDX-License-Identifier: GPL-2.0-or-later
/* Java of several kinds, by the first argument, until it is killed:
 *
 *	loop     one method that never returns: it is compiled while it runs (OSR)
 *	alloc    objects, and garbage collection
 *	recurse  a recursion, and some allocation
 *	text     regular expressions and strings
 *	threads  threads with each of these
 *	streams  streams and lambdas
 *	virtual  virtual threads that give way and come back (JDK 21)
 *	depth    each method is always called from the same callers: the names of a right
 *	         stack are known by its leaf (tests/e2e/e2e-java)
 */
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

public class Stack {
	static volatile long sink;
	static final long[] table = new long[4096];

	static void loop() {
		long x = 1;
		for (int i = 0;; i++) {
			x = x * 6364136223846793005L + 1442695040888963407L;
			table[(int) (x >>> 52)] += x ^ table[(int) (x >>> 40) & 4095];
			if ((i & 0xfffff) == 0)
				sink = x;
		}
	}

	static void alloc() {
		List<byte[]> kept = new ArrayList<>();
		Map<Integer, String> map = new HashMap<>();
		for (int i = 0;; i++) {
			kept.add(new byte[i % 1000]);
			map.put(i % 5000, "value " + i);
			if (kept.size() > 20000)
				kept = new ArrayList<>();
			sink += map.size();
		}
	}

	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static void recurse() {
		for (;;) {
			byte[] bytes = new byte[1000];
			sink += fib(22) + bytes.length;
		}
	}

	static void text() {
		Pattern pattern = Pattern.compile("(\\w+)@(\\w+)\\.(com|org|net)");
		String some = "nobody nowhere somebody@somewhere.org a@b.c me@here.net ".repeat(20);
		for (;;) {
			Matcher matcher = pattern.matcher(some);
			StringBuilder found = new StringBuilder();
			while (matcher.find())
				found.append(matcher.group(2).toUpperCase()).append(' ');
			for (String part : found.toString().split(" "))
				sink += part.hashCode() + part.indexOf("HERE");
		}
	}

	static void threads() throws Exception {
		Runnable[] work = {Stack::loop, Stack::alloc, Stack::recurse, Stack::text};
		for (Runnable one : work)
			new Thread(one).start();
		Thread.currentThread().join();
	}

	static void streams() {
		for (;;)
			sink += IntStream.range(0, 10000)
					.filter(i -> i % 3 != 0)
					.mapToObj(i -> "n" + i)
					.filter(s -> s.length() > 3)
					.mapToLong(String::hashCode)
					.sum();
	}

	/* Gives way at the bottom, so that most frames come back from the heap one by one. */
	static int descend(int n) {
		if (n == 0) {
			Thread.yield();
			return 1;
		}
		int below = descend(n - 1);
		for (int i = 0; i < 2000; i++)
			below = below * 31 + table[i & 4095] > 0 ? i : n;
		return below;
	}

	/* By reflection: JDK 17 compiles this, too. */
	static void virtual() throws Exception {
		Runnable work = () -> {
			for (;;)
				sink += descend(30);
		};
		for (int i = 0; i < 4; i++)
			Thread.class.getMethod("startVirtualThread", Runnable.class)
					.invoke(null, work);
		Thread.currentThread().join();
	}

	static long leaf1(long x) {
		for (int i = 0; i < 20; i++)
			x = x * 31 + table[(int) (x >>> 52)];
		return x;
	}

	/* More arguments than there are registers for. */
	static long leaf2(long x, long a, long b, long c, long d, long e, long f, long g) {
		return x * 37 + table[(int) (x >>> 52)] + a + b + c + d + e + f + g;
	}

	static long leaf3(long x) {
		return x * 7 + 1;
	}

	static long middle1(long x) {
		return leaf1(x + 1) + 1;
	}

	static long middle2(long x) {
		for (int i = 0; i < 3; i++)
			x += leaf2(middle3(x), 1, 2, 3, 4, 5, 6, 7);
		return x;
	}

	static long middle3(long x) {
		for (int i = 0; i < 5; i++)
			x = leaf3(x);
		return x;
	}

	static void depth() {
		for (long x = 1;; x++)
			sink += middle1(x) + middle2(x);
	}

	public static void main(String[] arguments) throws Exception {
		System.out.println("ready");
		switch (arguments.length > 0 ? arguments[0] : "recurse") {
		case "loop": loop();
		case "alloc": alloc();
		case "text": text();
		case "threads": threads();
		case "streams": streams();
		case "virtual": virtual();
		case "depth": depth();
		default: recurse();
		}
	}
}
