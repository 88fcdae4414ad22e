// SPDX-License-Identifier: GPL-2.0-or-later
/* A few Java frames: a recursion that is compiled, under a loop that never ends. */
public class Stack {
	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	public static void main(String[] arguments) {
		System.out.println("ready");
		for (long total = 0;;) {
			byte[] bytes = new byte[1000];
			total += fib(22) + bytes.length;
		}
	}
}
