import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { persistedDocuments } from '#schema/persisted_documents.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const project = await world.project({ owner });
const trusted = 'query Name($ref: ProjectRef!) { project(ref: $ref) { name } }';
const strict = await startWorld({ trustedDocuments: new Map([['the hash of a build tool', trusted]]) });
const member = await strict.user();
const own = await strict.project({ owner: member });

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const named = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });
const post = (body: object, where = world, { token } = owner) =>
  where.send('POST', '/graphql', { headers: { 'PRIVATE-TOKEN': token }, body });
const get = (parameters: Record<string, string>) =>
  world.send('GET', `/graphql?${new URLSearchParams(parameters)}`, { headers: { 'PRIVATE-TOKEN': owner.token } });
const codes = ({ body }: { body: { errors?: { extensions: { code: string } }[] } }) =>
  body.errors?.map(({ extensions }) => extensions.code);

describe('A document that was sent once', () => {
  const query = 'query Persisted($ref: ProjectRef!) { project(ref: $ref) { name } }';
  const variables = { ref: project.id };
  const found = { data: { project: { name: project.name } } };

  it('is named by its hash afterwards, by POST, by GET and as documentId', async () => {
    const extensions = named(hashOf(query));
    const unknown = await post({ variables, extensions });
    // Apollo's clients know it by the message or by the code.
    expect(unknown.body.errors).toEqual([
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
    ]);
    expect((await post({ query, variables, extensions })).body).toEqual(found);
    expect((await post({ variables, extensions })).body).toEqual(found);
    expect((await post({ variables, documentId: `sha256:${hashOf(query)}` })).body).toEqual(found);
    const parameters = { variables: JSON.stringify(variables), extensions: JSON.stringify(extensions) };
    expect((await get(parameters)).body).toEqual(found);
  });

  it('is not kept when it is not valid, or under a hash that is not its own', async () => {
    const invalid = '{ nothing }';
    expect(codes(await post({ query: invalid, extensions: named(hashOf(invalid)) }))).toEqual([
      'GRAPHQL_VALIDATION_FAILED',
    ]);
    expect(codes(await post({ extensions: named(hashOf(invalid)) }))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
    const other = hashOf('{ __typename }');
    expect(codes(await post({ query, variables, extensions: named(other) }))).toEqual(['BAD_REQUEST']);
    expect(codes(await post({ extensions: named(other) }))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  });

  it('is not executed by GET when it is a mutation', async () => {
    const mutation = `mutation { createLabel(input: { project: ${project.id}, title: "by get", color: "red" }) { label { title } } }`;
    const extensions = named(hashOf(mutation));
    expect((await post({ query: mutation, extensions })).body.errors).toBeUndefined();
    await world.db.label.deleteMany({ where: { title: 'by get' } });
    expect((await get({ extensions: JSON.stringify(extensions) })).status).toBe(405);
    expect(await world.db.label.count({ where: { title: 'by get' } })).toBe(0);
  });

  it('is named by a hash of version 1', async () => {
    const persistedQuery = { version: 2, sha256Hash: hashOf(query) };
    expect(codes(await post({ extensions: { persistedQuery } }))).toEqual(['BAD_REQUEST']);
    expect(codes(await post({ extensions: named(7 as never) }))).toEqual(['BAD_REQUEST']);
  });
});

describe('Documents that were sent', () => {
  it('are kept up to a number of characters', async () => {
    const { onParams, onExecute } = persistedDocuments(undefined);
    const text = (n: number) => `{ __typename } # ${n} ${'x'.repeat(30_000)}`;
    const send = (query: string) => {
      const params = { query, extensions: named(hashOf(query)) };
      onParams?.({ params, setParams: () => undefined } as never);
      onExecute?.({ args: { contextValue: { params } } } as never);
    };
    const ask = async (query: string) =>
      onParams?.({ params: { extensions: named(hashOf(query)) }, setParams: () => undefined } as never);
    for (let n = 0; n < 100; n += 1) send(text(n));
    await expect(ask(text(99))).resolves.toBeUndefined();
    await expect(ask(text(0))).rejects.toMatchObject({ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } });
    const large = `{ __typename } # ${'x'.repeat(40_000)}`;
    send(large);
    await expect(ask(large)).rejects.toMatchObject({ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } });
  });
});

describe('Where documents are trusted', () => {
  const variables = { ref: own.id };
  const found = { data: { project: { name: own.name } } };

  it('they are executed, by hash and by text', async () => {
    for (const body of [
      { extensions: named('the hash of a build tool') },
      { documentId: 'the hash of a build tool' },
      { query: trusted },
    ]) {
      expect((await post({ ...body, variables }, strict, member)).body).toEqual(found);
    }
  });

  it('nothing else is, introspection included, nor is it kept by its hash', async () => {
    const query = '{ __schema { queryType { name } } }';
    for (const body of [{ query }, { query, extensions: named(hashOf(query)) }, {}]) {
      expect(codes(await post(body, strict, member))).toEqual(['PERSISTED_QUERY_REQUIRED']);
    }
    expect(codes(await post({ extensions: named(hashOf(query)) }, strict, member))).toEqual([
      'PERSISTED_QUERY_NOT_FOUND',
    ]);
    const [first, second] = (await post([{ query: trusted, variables }, { query }] as never, strict, member)).body;
    expect([first, codes({ body: second })]).toEqual([found, ['PERSISTED_QUERY_REQUIRED']]);
  });

  it('REST answers all the same', async () => {
    expect((await strict.api(member).get(`/projects/${own.id}`)).status).toBe(200);
  });
});
