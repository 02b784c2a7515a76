import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '#src/platform/config/config.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'gantry-trusted-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const query = '{ version { version } }';
const load = (place: string) => loadConfig({ GRAPHQL_TRUSTED_DOCUMENTS: place }, directory).trustedDocuments;
function file(name: string, content: unknown): string {
  writeFileSync(path.join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

describe('GRAPHQL_TRUSTED_DOCUMENTS', () => {
  it('reads what relay-compiler, graphql-codegen and Apollo write', () => {
    expect(load(file('relay.json', { abc: query }))).toEqual(new Map([['abc', query]]));
    const operations = [{ id: 'abc', body: query, name: 'Version', type: 'query' }];
    expect(load(file('apollo.json', { format: 'apollo-persisted-query-manifest', version: 1, operations }))).toEqual(
      new Map([['abc', query]]),
    );
  });

  it('reads the documents of a directory, by the SHA-256 of each', () => {
    mkdirSync(path.join(directory, 'documents'));
    file('documents/version.graphql', query);
    file('documents/notes.txt', 'no document');
    expect(load('documents')).toEqual(new Map([[createHash('sha256').update(query).digest('hex'), query]]));
  });

  it('names what it cannot read', () => {
    mkdirSync(path.join(directory, 'empty'));
    for (const [place, problem] of [
      ['nowhere.json', 'there is no file or directory'],
      ['empty', 'there are no documents in'],
      [file('list.json', [query]), 'is no JSON object of documents'],
      [file('odd.json', { abc: 5 }), 'is no JSON object of documents'],
      [file('text.json', 'query {'), 'is no JSON object of documents'],
    ] as const) {
      expect(() => load(place)).toThrow(`GRAPHQL_TRUSTED_DOCUMENTS: ${problem}`);
    }
  });
});
