import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { collectOnceQuiet } from '#src/platform/lifecycle/collect.ts';
import { listen } from '#src/platform/lifecycle/listen.ts';

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

describe('The memory that the start needed', () => {
  it('is given back once, when nobody has asked for anything for a while', async () => {
    let quiet = 0;
    const collect = vi.fn();
    endings.push(collectOnceQuiet(() => quiet, collect, { after: 400, pause: 5 }));
    await sleep(50);
    expect(collect).not.toHaveBeenCalled();
    quiet = 400;
    await vi.waitFor(() => expect(collect).toHaveBeenCalled());
    await sleep(50);
    expect(collect).toHaveBeenCalledTimes(1);
  });

  it('is kept by a server that ends before, and where V8 offers no collection', async () => {
    const collect = vi.fn();
    collectOnceQuiet(() => 1_000, collect, { pause: 5 })();
    collectOnceQuiet(() => 1_000, undefined, { pause: 5 })();
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
