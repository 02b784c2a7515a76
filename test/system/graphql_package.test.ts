import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packagePath, packageVersion } from '#src/platform/package_root.ts';
import { blocksOf } from '../support/documentation.ts';
import {
  type Finished,
  printed,
  run,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
} from '../support/server_process.ts';

/* The package of clients/graphql, as it is released, in a project that has nothing else of Gantry: examples/graphql-client. */
const scratch = scratchDirectory();
const project = path.join(scratch.directory, 'project');
const env = {
  ...process.env,
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
};
let server: ServerProcess;
let token: string;

const here = (command: string, args: string[], more: NodeJS.ProcessEnv = {}): Promise<Finished> =>
  run(command, args, { cwd: project, env: { ...env, ...more } });

async function succeed(command: string, args: string[]): Promise<void> {
  const { status, stdout, stderr } = await here(command, args);
  expect(status, stdout + stderr).toBe(0);
}

beforeAll(async () => {
  const packed = await run(process.execPath, [packagePath('scripts/pack_clients.ts'), scratch.directory], { env });
  expect(packed.status, packed.stderr).toBe(0);
  cpSync(packagePath('examples/graphql-client'), project, {
    recursive: true,
    filter: (file) => !/[\\/](node_modules|gql)$/.test(file),
  });
  await succeed('npm', ['install', path.join(scratch.directory, `gantry-server-graphql-${packageVersion()}.tgz`)]);
  await succeed('npm', ['run', 'generate']);
  server = await startServer(settings(path.join(scratch.directory, 'data')), ['--ephemeral']);
  token = printed(server.output(), 'Private token') ?? '';
}, 600_000);

afterAll(async () => {
  await server?.end('SIGTERM');
  scratch.remove();
});

/** Runs a program beside the example, with the same packages and generated types. */
function program(text: string, url = server.url): Promise<Finished> {
  writeFileSync(path.join(project, 'other.ts'), text);
  return here(process.execPath, ['other.ts'], { GANTRY_URL: url, TOKEN: token });
}

describe('@gantry-server/graphql', { timeout: 300_000 }, () => {
  it('has the schema of this version', () => {
    const inside = path.join(project, 'node_modules/@gantry-server/graphql');
    expect(readFileSync(path.join(inside, 'schema.graphql'), 'utf8')).toBe(
      readFileSync(packagePath('schema/schema.graphql'), 'utf8'),
    );
    expect(JSON.parse(readFileSync(path.join(inside, 'package.json'), 'utf8')).version).toBe(packageVersion());
  });

  it('runs a query, a mutation and a subscription of a program, and explains what is missing', async () => {
    const done = await here(process.execPath, ['main.ts'], { GANTRY_URL: server.url, TOKEN: token });
    expect(done).toEqual({
      status: 0,
      stdout: 'I am root\n#1 A star is missing\nNOT_FOUND: Project not found\n',
      stderr: '',
    });
  });

  it('is installed and used as docs/graphql.md says', async () => {
    const shown = blocksOf('docs/graphql.md').filter(({ section }) => section === 'The client for TypeScript');
    const [install = '', codegen, main = ''] = shown.map(({ text }) => text);
    const reader = path.join(scratch.directory, 'reader');
    mkdirSync(reader);
    writeFileSync(path.join(reader, 'package.json'), '{"private": true, "type": "module"}');
    const own = (command: string, more: NodeJS.ProcessEnv = {}) =>
      run('/bin/bash', ['-ec', command], { cwd: reader, env: { ...env, ...more } });
    const installed = await own(install.replaceAll('../gantry/', '../'));
    expect(installed.status, installed.stderr).toBe(0);
    expect(codegen).toBe(readFileSync(packagePath('examples/graphql-client/codegen.ts'), 'utf8'));
    writeFileSync(path.join(reader, 'codegen.ts'), codegen ?? '');
    writeFileSync(path.join(reader, 'main.ts'), main.replace('https://gantry.example.com', server.url));
    expect((await own('npx graphql-codegen')).status).toBe(0);
    const post = { method: 'POST', headers: { 'private-token': token, 'content-type': 'application/json' } };
    const make = (route: string, body: object) =>
      fetch(`${server.url}/api/v4/${route}`, { ...post, body: JSON.stringify(body) }).then((made) => made.json());
    const { id } = await make('groups', { name: 'group', path: 'group', visibility: 'public' });
    await make('projects', { name: 'here', namespace_id: id, visibility: 'public' });
    const done = await own(`'${process.execPath}' main.ts`, { TOKEN: token });
    expect(done).toEqual({ status: 0, stdout: 'group/here PUBLIC\n', stderr: '' });
  });

  it('gives results and variables the types of the schema', async () => {
    expect(await here('npx', ['tsc', '--project', '.'])).toEqual({ status: 0, stdout: '', stderr: '' });
    writeFileSync(path.join(project, 'wrong.ts'), WRONG);
    const { stdout } = await here('npx', ['tsc', '--project', '.']);
    expect(stdout.match(/^wrong\.ts\(\d+/gm)).toEqual(['wrong.ts(8', 'wrong.ts(9', 'wrong.ts(10', 'wrong.ts(11']);
  });

  it('sends files, texts of documents and tokens that a function gives', async () => {
    const done = await program(OTHERS);
    expect(done).toEqual({ status: 0, stdout: '![map](/uploads)\nroot\nUNAUTHENTICATED 401\nnone\n', stderr: '' });
  });
});

/** Has a mistake in each of its last four lines. */
const WRONG = `import { createClient } from '@gantry-server/graphql';
import { ProjectDocument, ViewerDocument } from './gql/graphql.ts';

const gantry = createClient({ url: 'http://127.0.0.1', token: () => 'a' });
export const right = async () => (await gantry.query(ProjectDocument, { ref: 4 })).project?.name.length;
export const also = async () => (await gantry.query(ViewerDocument)).viewer?.username.length;

export const field = async () => (await gantry.query(ViewerDocument)).viewer?.password;
export const none = async () => gantry.query(ProjectDocument);
export const other = async () => gantry.query(ProjectDocument, { ref: true });
export const token = createClient({ url: 'http://127.0.0.1', token: 5 });
`;

const OTHERS = `import { createClient, GantryError } from '@gantry-server/graphql';
const { GANTRY_URL: url = '', TOKEN } = process.env;
const gantry = createClient({ url: url + '/graphql', token: async () => TOKEN });
interface Made { createProject: { project: { id: string } } }
const made = await gantry.mutate<Made, object>('mutation { createProject(input: { name: "Maps" }) { project { id } } }');
const file = new File(['stars'], 'map', { type: 'text/plain' });
const { uploadFile } = await gantry.mutate<{ uploadFile: { upload: { markdown: string } } }, { input: object }>(
  'mutation ($input: UploadFileInput!) { uploadFile(input: $input) { upload { markdown } } }',
  { input: { project: made.createProject.project.id, file } },
);
console.log(uploadFile.upload.markdown.replace(/\\(\\/uploads.*/, '(/uploads)').replace(/^\\[/, '!['));
const { viewer } = await gantry.query<{ viewer: { username: string } }, object>('{ viewer { username } }');
console.log(viewer.username);
const stranger = createClient({ url, token: 'nonsense' });
await stranger.query('{ viewer { username } }').catch((error) => {
  if (error instanceof GantryError) console.log(error.code, error.status);
});
await createClient({ url: url + '/nowhere' }).query('{ version }').catch((error) => console.log(error.code ?? 'none'));
`;
