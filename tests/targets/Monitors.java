/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has which monitor, and who waits for it. Three threads (turn-1, turn-2, turn-3) take
 * turns in one; "keeper" has another from before anybody waits for it, and "wanting" waits
 * for that all the time. Three more (decoy-wait, decoy-park, decoy-lock) sleep in what is no
 * monitor, or wait to be told in one. After the seconds given it prints, for each turn,
 * "hold NAME FROM TO" and "wait NAME FROM TO", in ns since 1970.
 */
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

public class Monitors {
	static final Object shared = new Object(), kept = new Object(), news = new Object();
	static final ReentrantLock lock = new ReentrantLock();
	static final StringBuffer log = new StringBuffer();
	static volatile String holder = "nobody"; /* of the turn that is not over */
	static volatile long since;

	static long now()
	{
		Instant now = Instant.now();
		return now.getEpochSecond() * 1_000_000_000L + now.getNano();
	}

	static void sleep(long ms)
	{
		try {
			Thread.sleep(ms);
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	static void note(String what, long from, long to)
	{
		log.append(what + " " + Thread.currentThread().getName() + " " + from + " " + to
			+ "\n");
	}

	static void turns(int seed)
	{
		for (;; seed = seed * 1103515245 + 12345) {
			long asked = now(), got, done;
			synchronized (shared) {
				got = since = now();
				holder = Thread.currentThread().getName();
				sleep(150 + (seed >>> 16) % 250);
				done = now();
			}
			note("wait", asked, got);
			note("hold", got, done);
			sleep(2);
		}
	}

	static void start(String name, Runnable work)
	{
		Thread thread = new Thread(work, name);
		thread.setDaemon(true);
		thread.start();
	}

	static void keep()
	{
		synchronized (kept) {
			start("wanting", () -> {
				synchronized (kept) {
					sleep(1);
				}
			});
			sleep(1_000_000);
		}
	}

	static void hear()
	{
		synchronized (news) {
			try {
				news.wait();
			} catch (InterruptedException e) {
				throw new IllegalStateException(e);
			}
		}
	}

	public static void main(String[] arguments)
	{
		lock.lock();
		for (int i = 1; i <= 3; i++) {
			int seed = i * 7919;
			start("turn-" + i, () -> turns(seed));
		}
		start("keeper", Monitors::keep);
		start("decoy-wait", Monitors::hear);
		start("decoy-park", LockSupport::park);
		start("decoy-lock", lock::lock);
		sleep(500);
		System.out.println("ready");
		sleep(Long.parseLong(arguments[0]) * 1000);
		System.out.print(log + "hold " + holder + " " + since + " " + now() + "\n");
	}
}
