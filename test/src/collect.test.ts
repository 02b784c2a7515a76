import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { collectBesideWork, collectWhenQuiet, freeBuffers } from '#src/platform/lifecycle/collect.ts';
import { listen } from '#src/platform/lifecycle/listen.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

describe('The memory that the start needed', () => {
  it('is given back once, when nobody has asked for anything for a while', async () => {
    let quiet = 0;
    const collect = vi.fn();
    endings.push(collectWhenQuiet(() => quiet, collect, { after: 400, pause: 5 }));
    await sleep(50);
    expect(collect).not.toHaveBeenCalled();
    quiet = 400;
    await vi.waitFor(() => expect(collect).toHaveBeenCalled());
    await sleep(50);
    expect(collect).toHaveBeenCalledTimes(1);
  });

  it('is given back again after work that took more, when nobody comes back soon', async () => {
    let [quiet, size] = [400, 100];
    const collect = vi.fn(() => {
      size = 100;
    });
    const options = { after: 400, afterWork: 5_000, growth: 50, pause: 5 };
    endings.push(
      collectWhenQuiet(
        () => quiet,
        collect,
        options,
        () => size,
      ),
    );
    await vi.waitFor(() => expect(collect).toHaveBeenCalledTimes(1));
    const [more, less] = [150, 149];
    for (const [since, now] of [
      [400, more],
      [4_999, more],
      [5_000, less],
    ] as const) {
      [quiet, size] = [since, now];
      await sleep(50);
      expect(collect).toHaveBeenCalledTimes(1);
    }
    size = more;
    await vi.waitFor(() => expect(collect).toHaveBeenCalledTimes(2));
    await sleep(50);
    expect(collect).toHaveBeenCalledTimes(2);
  });

  it('is kept by a server that ends before, and where V8 offers no collection', async () => {
    const collect = vi.fn();
    collectWhenQuiet(() => 1_000, collect, { pause: 5 })();
    collectWhenQuiet(() => 1_000, undefined, { pause: 5 })();
    await sleep(50);
    expect(collect).not.toHaveBeenCalled();
  });
});

describe('A server', () => {
  it('knows for how long nobody has asked for anything', async () => {
    const answers: (() => void)[] = [];
    const listening = await listen((_, response) => void answers.push(() => response.end('x')), {
      host: '127.0.0.1',
      port: 0,
    });
    endings.push(() => listening.close({ long: 0, others: 0 }));
    await vi.waitFor(() => expect(listening.quiet()).toBeGreaterThan(20));
    const asked = request(listening.url).end();
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    expect(listening.quiet()).toBe(0);
    answers[0]?.();
    const [answer] = await once(asked, 'response');
    answer.resume();
    await vi.waitFor(() => expect(listening.quiet()).toBeGreaterThan(20));
  });
});

describe('What lies about while the server works', () => {
  const options = { growth: 50, pause: 5, pauseWhenQuiet: 10, apart: 0 };

  it.each<[string, (collect: () => Promise<void>, size: () => number) => () => void]>([
    ['old objects', (collect, size) => collectBesideWork(collect, options, size)],
    ['buffers', (collect, size) => freeBuffers(() => 0, collect, options, size)],
  ])('is collected each time that it has grown by so much, and not for less: %s', async (_, begin) => {
    let size = 100;
    const collect = vi.fn(async () => {
      size -= 30;
    });
    endings.push(begin(collect, () => size));
    await sleep(50);
    size = 149;
    await sleep(50);
    expect(collect).not.toHaveBeenCalled();
    size = 150;
    await vi.waitFor(() => expect(collect).toHaveBeenCalledTimes(1));
    // What is left is in use; it counts again from there, and from less once it is less.
    size = 169;
    await sleep(50);
    expect(collect).toHaveBeenCalledTimes(1);
    size = 20;
    await sleep(50);
    size = 70;
    await vi.waitFor(() => expect(collect).toHaveBeenCalledTimes(2));
  });
});

describe('Old objects', () => {
  it('are collected once in a while at most, and again after it has failed', async () => {
    let size = 0;
    const collect = vi.fn(() => Promise.reject(new Error('not now')));
    endings.push(collectBesideWork(collect, { growth: 50, pause: 5, apart: 400 }, () => size++ * 100));
    await vi.waitFor(() => expect(collect).toHaveBeenCalledTimes(1));
    await sleep(100);
    expect(collect).toHaveBeenCalledTimes(1);
    await vi.waitFor(() => expect(collect).toHaveBeenCalledTimes(2));
  });

  it('that nobody uses any more are given back', async () => {
    // Node says of what the default uses that it is experimental.
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    endings.push(() => warned.mockRestore());
    const megabytes = 30;
    let kept: object[] | null = Array.from({ length: megabytes * 10_000 }, (_, at) => ({ at, text: `${at}` }));
    const size = () => getHeapStatistics().used_heap_size;
    const before = size();
    endings.push(collectBesideWork(undefined, { growth: 1, pause: 5, apart: 0 }));
    expect(kept.length).toBeGreaterThan(0);
    kept = null;
    // New objects end up among the old ones, so these grow.
    const later: object[] = [];
    await vi.waitFor(
      () => {
        later.push(Array.from({ length: 10_000 }, (_, at) => ({ at })));
        expect(size()).toBeLessThan(before - 10 * 1024 * 1024);
      },
      { timeout: 10_000 },
    );
  });
});

describe('Buffers that a stream has passed on', () => {
  it('are looked at less often while nobody asks for anything', async () => {
    const looks = async (quiet: number) => {
      const external = vi.fn(() => 0);
      const end = freeBuffers(() => quiet, vi.fn(), { pause: 5, pauseWhenQuiet: 500 }, external);
      await sleep(1_500);
      end();
      return external.mock.calls.length;
    };
    const [busy, idle] = await Promise.all([looks(0), looks(501)]);
    expect(idle).toBeLessThanOrEqual(4);
    expect(busy).toBeGreaterThan(idle);
  });

  it('go before V8 finds them worth collecting', async () => {
    setFlagsFromString('--expose-gc');
    const collect: NonNullable<Parameters<typeof freeBuffers>[1]> = runInNewContext('gc');
    const before = getHeapStatistics().external_memory;
    endings.push(freeBuffers(() => 0, collect, { growth: 1024 * 1024, pause: 1, pauseWhenQuiet: 1 }));
    let most = 0;
    for (let i = 0; i < 1_000; i += 1) {
      Buffer.allocUnsafeSlow(64 * 1024);
      await turn();
      most = Math.max(most, getHeapStatistics().external_memory - before);
    }
    // V8 lets all of the 64 MB lie.
    expect(most).toBeLessThan(40 * 1024 * 1024);
  });
});
