// One part in depth, which the long run has.
// @module-tag long
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getOperationAST, parse, validate } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { blocksOf, commandsOf, type Shown, walk, withoutGaps } from '../support/documentation.ts';
import { until } from '../support/server_process.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const ada = await world.user({ username: 'ada' });
await world.user({ username: 'bob' });
const doc = readFileSync(packagePath('docs/graphql.md'), 'utf8');

/** The documents of a section, in their order. */
function documents(title: string): string[] {
  const [, section = ''] = doc.split(`## ${title}\n`);
  const [text = ''] = section.split(/^## /m);
  return [...text.matchAll(/```graphql\n(.*?)```/gs)].map(([, document = '']) => document);
}

const tasks = documents('Twelve tasks');

describe('The tasks of docs/graphql.md', () => {
  it('are twelve, one of which takes two documents', () => {
    expect([...doc.matchAll(/^\*\*\d+\. /gm)].length).toBe(12);
    expect(tasks.length).toBe(13);
  });

  it.each(tasks.map((document) => [/(\w+)\(|viewer/.exec(document.replace(/^\w* ?\(.*/, ''))?.[0] ?? '', document]))(
    '%s works as it is written',
    async (_name, text) => {
      const document = parse(text);
      expect(validate(schema, document)).toEqual([]);
      if (getOperationAST(document)?.operation === 'subscription') return;
      const { body: global } = await world.graphql('{ user(username: "bob") { id } }', {}, ada);
      const { body } = await world.graphql(text, { bob: global.data.user.id }, ada);
      expect(body.errors).toBeUndefined();
    },
  );
});

describe('What else docs/graphql.md shows', () => {
  const jsonOf = (section: string) =>
    blocksOf('docs/graphql.md')
      .filter((block) => block.section === section && block.language === 'json')
      .map(({ text }) => JSON.parse(withoutGaps(text)));
  const fill = (text: string) =>
    text
      .replaceAll('https://gantry.example.com', world.url)
      .replaceAll('wss://gantry.example.com', world.url.replace('http', 'ws'))
      .replaceAll('TOKEN=…', `TOKEN=${ada.token}`);
  const reader = () => mkdtempSync(path.join(tmpdir(), 'gantry-graphql-'));
  const signIn = commandsOf('docs/graphql.md', 'Authentication');

  beforeAll(async () => {
    const owner = await world.user();
    const group = await world.group({ owner, path: 'group', visibility: 'public' });
    await world.project({ owner, name: 'here', namespaceId: group.id, visibility: 'public' });
  });

  it('documents that the schema knows', () => {
    const all = blocksOf('docs/graphql.md').filter(({ language }) => language === 'graphql');
    expect(all.length).toBeGreaterThan(tasks.length);
    for (const { text } of all) expect(validate(schema, parse(text))).toEqual([]);
  });

  it('a partial answer, a cost and a persisted document', async () => {
    const [partial] = blocksOf('docs/graphql.md').filter(({ section }) => section === 'Partial answers');
    const { body } = await world.graphql(partial?.text ?? '', {});
    expect(body).toEqual(jsonOf('Partial answers')[0]);
    const headers = { 'GraphQL-Cost': '1' };
    const costly = await world.send('POST', '/graphql', { headers, body: { query: '{ viewer { id } }' } });
    const [shown] = jsonOf('Cost and limits');
    expect(Object.keys(costly.body.extensions.cost)).toEqual(Object.keys(shown));
    for (const [name, { limit }] of Object.entries<{ limit: number }>(shown))
      expect(costly.body.extensions.cost[name].limit).toBe(limit);
    const [persisted] = jsonOf('Persisted documents');
    const unknown = await world.send('POST', '/graphql', { body: persisted });
    expect(unknown.body.errors[0].extensions.code).toMatch(/PERSISTED_QUERY_NOT_FOUND|BAD_REQUEST/);
  });

  it('how to authenticate, and how to upload a file', async () => {
    const directory = reader();
    writeFileSync(path.join(directory, 'map.png'), 'a picture');
    const outputs = await walk([...signIn, ...commandsOf('docs/graphql.md', 'Uploads')], { directory, fill });
    expect(outputs.at(-1)).toContain('"markdown":"');
  });

  it('how curl subscribes to events, and what comes', async () => {
    const [shown] = commandsOf('docs/graphql.md', 'Subscriptions') as [Shown];
    const curl = spawn('/bin/bash', ['-c', `exec ${fill(shown.command).replace('curl ', 'curl --silent ')}`], {
      env: { PATH: process.env.PATH, TOKEN: ada.token },
    });
    let output = '';
    curl.stdout.setEncoding('utf8').on('data', (part) => (output += part));
    await until(() => output.includes(':') || undefined);
    await world.graphql(
      'mutation { createIssue(input: { project: "ada/sky", title: "Told" }) { issue { iid } } }',
      {},
      ada,
    );
    await until(() => /^data: .+\n\n/m.test(output) || undefined);
    curl.kill();
    const shapeOf = (text: string) => text.replaceAll(/\d[\d-]*/g, '1').trim();
    expect(shapeOf(output)).toContain(shapeOf(shown.answer?.replace(/^:\s*/, '') ?? 'nothing'));
  });

  it('a program that goes on when its connection is lost', async () => {
    const [program] = blocksOf('docs/graphql.md').filter(({ language }) => language === 'js');
    const args = ['--input-type=module', '--eval', fill(program?.text ?? '')];
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, TOKEN: ada.token } });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part) => (output += part));
    await until(async () => {
      const query = 'mutation { createIssue(input: { project: "ada/sky", title: "Told" }) { issue { iid } } }';
      await world.graphql(query, {}, ada);
      return output.includes('OPENED') || undefined;
    });
    child.kill();
    expect(output).toMatch(/^(OPENED\n)+$/);
  });
});
