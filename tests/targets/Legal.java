// SPDX-License-Identifier: GPL-2.0-or-later
/* Java whose source says which stacks can be: a method has one name, and whom it calls stands on
 * the line of the call. tests/tools/legal-stacks reads this file, and judges stacks by it: so a
 * method is declared on one line, with its last parenthesis and the opening brace on it; "// jdk"
 * marks a line that calls the library.
 *
 * Arguments: how many threads, and "churn" if classes are to be loaded and given up meanwhile, or
 * "wrong" if a method is to be compiled for classes to which another one comes while it waits.
 */
package legal;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;

public class Legal {
	static volatile int sink = 1;
	static volatile Object garbage;

	public static int burn(int n) {
		int y = sink;
		for (int i = 0; i < n; i++)
			y = y * 1103515245 + 12345;
		sink = y;
		return y;
	}

	interface Shape {
		int area(int n);
	}

	static class Square implements Shape {
		final int side;

		Square(int n) {
			side = burn(n);
		}

		public int area(int n) {
			return burn(n) + side;
		}
	}

	static class Circle implements Shape {
		public int area(int n) {
			int half = burn(n / 2);
			return half + edge(n);
		}

		int edge(int n) {
			return burn(n) + 1;
		}
	}

	static class Disc extends Circle {
		public int area(int n) {
			return deepest(n)
				+ super.area(n);
		}
	}

	static int deepest(int n) {
		return burn(n) + 3;
	}

	static int deeper(int n) {
		return deepest(n) + 2;
	}

	static int deep(int n) {
		return deeper(n) + 1;
	}

	static int recursion(int n) {
		if (n == 0)
			return burn(900);
		return 1 + recursion(n - 1);
	}

	static int ping(int n) {
		if (n <= 0)
			return burn(500);
		return pong(n - 1);
	}

	static int pong(int n) {
		int x = burn(50);
		return x + ping(n - 1);
	}

	static int thrower(int n) {
		burn(n);
		throw new IllegalStateException("for the catcher"); // jdk
	}

	static int between(int n) {
		try {
			return thrower(n);
		} finally {
			burn(n / 2);
		}
	}

	static int catcher(int n) {
		try {
			return between(n);
		} catch (IllegalStateException e) {
			return burn(n) + e.getMessage().length(); // jdk
		}
	}

	static int tableSwitch(int n) {
		switch (n % 3) {
		case 0:
			return caseZero(n);
		case 1:
			return caseOne(n);
		default:
			return burn(700);
		}
	}

	static int caseZero(int n) {
		return burn(n + 600);
	}

	static int caseOne(int n) {
		return burn(n + 650);
	}

	static int callback(IntUnaryOperator f, int n) {
		return f.applyAsInt(n); // jdk
	}

	static int lambdas(int n) {
		int a = callback(x -> { // jdk
			return burn(x) + 1;
		}, n);
		int b = callback(Legal::deepest, n); // jdk
		return a + b;
	}

	static int sorted(int n) {
		List<Integer> list = new ArrayList<>(Arrays.asList(3, 1, 2, n)); // jdk
		list.sort((p, q) -> { // jdk
			burn(100);
			return Integer.compare(p, q); // jdk
		});
		return list.get(0) + burn(30); // jdk
	}

	static int garbageMaker(int n) {
		for (int i = 0; i < n; i++)
			garbage = new byte[n]; // jdk
		return burn(n);
	}

	static synchronized int locked(int n) {
		return burn(n) + copied(n);
	}

	static int copied(int n) {
		byte[] from = new byte[2048], to = new byte[2048]; // jdk
		for (int i = 0; i < n / 8; i++)
			System.arraycopy(from, 0, to, 0, 2048); // jdk
		return to[5] + burn(n);
	}

	static int shapes(int n, Shape[] all) {
		int sum = 0;
		for (Shape one : all)
			sum += one.area(n);
		return sum;
	}

	static int drive(int round) {
		Shape[] all = {new Square(300), new Circle(), new Disc()};
		int x = shapes(400, all);
		x += deep(800);
		x += recursion(12);
		x += ping(9);
		x += catcher(300);
		x += tableSwitch(round);
		x += lambdas(500);
		x += sorted(4);
		x += garbageMaker(60);
		x += locked(200);
		return x;
	}

	static void worker() {
		for (int i = 0;; i++)
			drive(i);
	}

	/* Classes of one shape, each loaded again and again by loaders that are given up: their
	   methods come to lie where others were, and so does their compiled code. */
	public static class FreshFirst implements Runnable {
		public void run() {
			alpha(3000);
		}

		void alpha(int n) {
			burn(n);
		}
	}

	public static class FreshSecond implements Runnable {
		public void run() {
			beta(3000);
		}

		void beta(int n) {
			burn(n);
		}
	}

	public static class FreshThird implements Runnable {
		public void run() {
			gamma(3000);
		}

		void gamma(int n) {
			burn(n);
		}
	}

	static class Loader extends ClassLoader {
		Loader() {
			super(Legal.class.getClassLoader()); // jdk
		}

		Class<?> fresh(String name) throws Exception {
			InputStream in = Legal.class.getResourceAsStream("Legal$" + name + ".class"); // jdk
			ByteArrayOutputStream out = new ByteArrayOutputStream(); // jdk
			for (int c; (c = in.read()) >= 0;) // jdk
				out.write(c); // jdk
			return defineClass("legal.Legal$" + name, out.toByteArray(), 0, out.size()); // jdk
		}
	}

	static Runnable make(String name) throws Exception {
		return (Runnable) new Loader().fresh(name).getDeclaredConstructor().newInstance(); // jdk
	}

	static void first() throws Exception {
		Runnable it = make("FreshFirst");
		for (int i = 0; i < 300; i++)
			it.run(); // runs FreshFirst
	}

	static void second() throws Exception {
		Runnable it = make("FreshSecond");
		for (int i = 0; i < 300; i++)
			it.run(); // runs FreshSecond
	}

	static void third() throws Exception {
		Runnable it = make("FreshThird");
		for (int i = 0; i < 300; i++)
			it.run(); // runs FreshThird
	}

	static void churn() throws Exception {
		for (int i = 0;; i++) {
			first();
			second();
			third();
			if (i % 20 == 19)
				System.gc(); // jdk
		}
	}

	static class Base {
		int number() {
			return 1;
		}
	}

	static class Later extends Base {
		int number() {
			return 2;
		}
	}

	/* Without Later there is only one number() that can be meant. */
	static int held(Base base, int n) {
		int x = base.number();
		x += burn(n);
		return x + base.number();
	}

	static int holder(Base base, int n) {
		return held(base, n) + 1;
	}

	static void load() {
		try {
			Thread.sleep(300); // jdk
			Class.forName("legal.Legal$Later").getDeclaredConstructor().newInstance(); // jdk
		} catch (Exception e) {
			e.printStackTrace(); // jdk
		}
		System.out.println("ready"); // jdk
	}

	static void wrong() {
		Base base = new Base();
		for (int i = 0; i < 30000; i++)
			holder(base, 10);
		new Thread(() -> load()).start(); // jdk
		for (;;)
			holder(base, Integer.MAX_VALUE);
	}

	public static void main(String[] arguments) throws Exception {
		for (int i = 1; i < Integer.parseInt(arguments[0]); i++) // jdk
			new Thread(() -> worker()).start(); // jdk
		if (arguments.length > 1 && arguments[1].equals("wrong")) // jdk
			wrong();
		System.out.println("ready"); // jdk
		if (arguments.length > 1)
			churn();
		else
			worker();
	}
}
