// SPDX-License-Identifier: GPL-2.0-or-later
/* Three functions, and after each round which part of the CPU time each has used since it was ready: when
 * they are compiled. */
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Comparator;

public class Busy {
	static final long WARM_NS = 10_000_000_000L;

	static int mix(int n) {
		int x = 1;
		for (int i = 0; i < n; i++)
			x = x * 1103515245 + 12345 ^ i;
		return x;
	}

	static int fifty() {
		return mix(2500000);
	}

	static int thirty() {
		Integer[] all = new Integer[20000];
		for (int i = 0; i < all.length; i++)
			all[i] = i * 7919 % all.length;
		Arrays.sort(all, Comparator.reverseOrder());
		return all[0];
	}

	static int twenty() {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < 20000; i++)
			text.append(mix(30));
		return text.length();
	}

	static long spent() {
		return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
	}

	public static void main(String[] arguments) {
		String[] names = {"fifty", "thirty", "twenty"};
		double[] used = new double[3];
		boolean isReady = false;
		for (int sum = 0;;) {
			for (int i = 0; i < 3; i++) {
				long begin = spent();
				sum += i == 0 ? fifty() : i == 1 ? thirty() : twenty();
				used[i] += spent() - begin;
			}
			if (!isReady && spent() > WARM_NS) {
				isReady = true;
				Arrays.fill(used, 0);
				System.out.println("ready");
			}
			for (int i = 0; isReady && i < 3; i++)
				System.out.printf("truth Busy.%s() %.2f%n", names[i], 100 * used[i] / Arrays.stream(used).sum());
		}
	}
}
