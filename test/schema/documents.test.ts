import { describe, expect, it } from 'vitest';
import { Documents, Invalid } from '#schema/documents.ts';
import { schema } from '#schema/index.ts';
import { DEFAULT_LIMITS } from '#schema/limits.ts';
import { longDocuments } from '#schema/server.ts';

describe('Documents', () => {
  it('that are long are looked at one by one for each address; more than fifty do not wait', async () => {
    const plugin = longDocuments();
    const turns: (() => Promise<unknown>)[] = [];
    const ends: (() => void)[] = [];
    const work = () => new Promise<void>((resolve) => ends.push(resolve));
    const send = (query: string, ip: string) => {
      const about = { params: { query }, context: { req: { ip } }, paramsHandler: work };
      const setParamsHandler = (handler: (payload: unknown) => Promise<unknown>) => turns.push(() => handler(about));
      plugin.onParams?.({ ...about, setParamsHandler } as never);
    };
    send('{ version { version } }', '192.0.2.1');
    expect(turns.length).toBe(0);
    for (let n = 0; n < 52; n += 1) send(`# ${'x'.repeat(10_000)}`, '192.0.2.1');
    send(`# ${'x'.repeat(10_000)}`, '192.0.2.2');
    const all = turns.map((turn) => turn());
    await expect(all[51]).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    // One of each address runs.
    expect(ends.length).toBe(2);
    for (let n = 0; n < 53; n += 1) {
      while (ends.length === 0) await new Promise((resolve) => setImmediate(resolve));
      ends.shift()?.();
      if (n === 51) break;
    }
    expect((await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled').length).toBe(52);
  });

  it('are kept up to a number of characters, and only valid ones', () => {
    const documents = new Documents(schema, DEFAULT_LIMITS);
    const see = (text: string) => documents.prepare(text, {}).document;
    const small = '{ version { version } }';
    const first = see(small);
    expect(see(small)).toBe(first);
    const invalid = '{ nothing }';
    for (let turn = 0; turn < 2; turn += 1) expect(() => see(invalid)).toThrow(Invalid);
    expect(documents.parse(invalid, {}).document).not.toBe(documents.parse(invalid, {}).document);
    const large = `${small} # ${'x'.repeat(40_000)}`;
    expect(see(large)).not.toBe(see(large));
    // Thirty of 30,000 characters are more than are kept: the oldest are gone.
    for (let n = 0; n < 30; n += 1) see(`${small} # ${n} ${'x'.repeat(30_000)}`);
    expect(see(small)).not.toBe(first);
  });
});
