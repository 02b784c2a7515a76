import type { DocumentNode } from 'graphql';
import { describe, expect, it } from 'vitest';
import { documents } from '#schema/documents.ts';
import { schema } from '#schema/index.ts';
import { DEFAULT_LIMITS, Limiter } from '#schema/limits.ts';

/** What the plugin does with a document, up to its validation with the given number of errors. */
function seeing() {
  const plugin = documents(DEFAULT_LIMITS, new Limiter(schema, DEFAULT_LIMITS));
  return (source: string, errors = 0): DocumentNode | undefined => {
    let document: DocumentNode | undefined;
    const take = (parsed: DocumentNode) => {
      document = parsed;
    };
    const parsing = { params: { source }, context: { params: {} }, extendContext: () => undefined };
    plugin.onParse?.({ ...parsing, setParsedDocument: take } as never);
    const validating = { params: { documentAST: document }, setResult: () => undefined };
    const validated = plugin.onValidate?.(validating as never) as ((of: object) => void) | undefined;
    validated?.({ result: Array.from({ length: errors }, () => new Error('invalid')), setResult: () => undefined });
    return document;
  };
}

describe('Documents', () => {
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
