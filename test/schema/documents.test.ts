import { type DocumentNode, GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { documents } from '#schema/documents.ts';
import { schema } from '#schema/index.ts';
import { KnownDocuments } from '#schema/known_documents.ts';
import { DEFAULT_LIMITS, Limiter } from '#schema/limits.ts';
import { longDocuments } from '#schema/server.ts';

/** What the plugin does with a document, up to its validation with the given number of errors. */
function seeing() {
  const plugin = documents(DEFAULT_LIMITS, new Limiter(schema, DEFAULT_LIMITS), new KnownDocuments());
  return (source: string, errors = 0): DocumentNode | undefined => {
    let document: DocumentNode | undefined;
    const take = (parsed: DocumentNode) => {
      document = parsed;
    };
    const parsing = { params: { source }, context: { params: {} }, extendContext: () => undefined };
    plugin.onParse?.({ ...parsing, setParsedDocument: take } as never);
    const validating = { params: { documentAST: document, schema }, setResult: () => undefined };
    const validated = plugin.onValidate?.(validating as never) as ((of: object) => void) | undefined;
    validated?.({
      result: Array.from({ length: errors }, () => new GraphQLError('invalid')),
      setResult: () => undefined,
    });
    return document;
  };
}

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
    const see = seeing();
    const small = '{ version { version } }';
    const first = see(small);
    expect(see(small)).toBe(first);
    const invalid = '{ nothing }';
    expect(see(invalid, 1)).not.toBe(see(invalid, 1));
    const large = `${small} # ${'x'.repeat(40_000)}`;
    expect(see(large)).not.toBe(see(large));
    // Thirty of 30,000 characters are more than are kept: the oldest are gone.
    for (let n = 0; n < 30; n += 1) see(`${small} # ${n} ${'x'.repeat(30_000)}`);
    expect(see(small)).not.toBe(first);
  });
});
