import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { collectWhenQuiet } from '#src/platform/lifecycle/collect.ts';
import { listen } from '#src/platform/lifecycle/listen.ts';
import { LONG } from '../support/long.ts';

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

  it('is given back again after work that took more, when nobody comes back soon', LONG, async () => {
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
