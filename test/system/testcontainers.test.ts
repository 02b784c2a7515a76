import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packagePath, packageRoot, packageVersion } from '#src/platform/package_root.ts';
import { ContainerEngine, onThisMachine } from '../support/container_engine.ts';
import { blocksOf } from '../support/documentation.ts';
import { type Finished, run, scratchDirectory } from '../support/server_process.ts';

/* The package of clients/testcontainers with the real Testcontainers and the real server, but without Docker. */
const scratch = scratchDirectory();
const project = path.join(scratch.directory, 'project');
const inside = path.join(scratch.directory, 'inside');
const env = {
  ...process.env,
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  // The container of Testcontainers that removes others has no image here.
  TESTCONTAINERS_RYUK_DISABLED: 'true',
};
const { devDependencies } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
const readme = readFileSync(packagePath('clients/testcontainers/README.md'), 'utf8');
const shown = blocksOf('clients/testcontainers/README.md', readme);
let engine: ContainerEngine;
let host: string;

const here = (command: string, args: string[]): Promise<Finished> =>
  run(command, args, { cwd: project, env: { ...env, DOCKER_HOST: host } });

function program(text: string): Promise<Finished> {
  writeFileSync(path.join(project, 'program.ts'), text);
  return here(process.execPath, ['program.ts']);
}

beforeAll(async () => {
  const packed = await run(process.execPath, [packagePath('scripts/pack_clients.ts'), scratch.directory], { env });
  expect(packed.status, packed.stderr).toBe(0);
  for (const directory of [project, inside]) mkdirSync(directory);
  writeFileSync(path.join(project, 'package.json'), '{"private": true, "type": "module"}');
  const tarball = path.join(scratch.directory, `gantry-server-testcontainers-${packageVersion()}.tgz`);
  const tools = ['testcontainers@12.2.0', `typescript@${devDependencies.typescript}`, '@types/node@24'];
  const installed = await run('npm', ['install', '--ignore-scripts', tarball, ...tools], { cwd: project, env });
  expect(installed.status, installed.stderr).toBe(0);
  // As in a container: a place for temporary files of its own, and a cache that is filled.
  const own = {
    TMPDIR: inside,
    HOME: inside,
    XDG_CACHE_HOME: path.join(scratch.directory, 'cache'),
    HOST: '127.0.0.1',
  };
  engine = new ContainerEngine(onThisMachine(packageRoot, inside, own), freePort);
  host = await engine.start();
}, 600_000);

afterAll(async () => {
  await engine?.stop();
  scratch.remove();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('GantryContainer', { timeout: 300_000 }, () => {
  it('runs as its README says, with the sample data, and asks for what the image needs', async () => {
    const example = shown.find(({ language }) => language === 'ts')?.text ?? '';
    const ofGuide = blocksOf('docs/testing-clients.md').find(({ section }) => section === 'Testcontainers');
    expect(ofGuide?.text).toBe(example);
    const done = await program(`${example}\nconsole.log(answer.status, (await answer.json()).length > 3);`);
    expect(done).toEqual({ status: 0, stdout: '200 true\n', stderr: '' });
    const [wish] = engine.wishes;
    expect(wish).toMatchObject({
      Image: 'gantry-testing:latest',
      Entrypoint: ['tini', '--', 'sh', '-c', expect.any(String), 'gantry'],
      Cmd: ['--seed', '--expose-known-tokens'],
      Env: expect.arrayContaining(['HOST=0.0.0.0', 'PORT=8080']),
      ExposedPorts: { '8080/tcp': {} },
      HostConfig: { ShmSize: 2 ** 31 },
    });
    expect(engine.running).toEqual([]);
  });

  it('starts empty, resets as often as it is asked, also at once, and keeps its tokens', async () => {
    const done = await program(RESETTING);
    expect(done.stderr).toBe('');
    expect(done.stdout.split('\n').slice(0, -1)).toEqual([
      '0 projects',
      '1 projects',
      '0 projects',
      'root',
      '0 projects',
    ]);
    expect(engine.wishes.at(-1)?.Cmd).toEqual([]);
  });

  it('says what the server says when it does not reset', async () => {
    const done = await program(FAILING);
    expect(done.stdout).toBe('Error: There is no command "nonsensereset"\n');
  });

  it('has types, which know what is wrong', async () => {
    const check = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
    writeFileSync(path.join(project, 'right.ts'), RESETTING);
    const right = await here('npx', ['tsc', ...check, 'right.ts']);
    expect(right.stdout).toBe('');
    writeFileSync(path.join(project, 'wrong.ts'), WRONG);
    const wrong = await here('npx', ['tsc', ...check, 'wrong.ts']);
    expect(wrong.stdout.match(/^wrong\.ts\(\d+/gm)).toEqual(['wrong.ts(4', 'wrong.ts(5']);
  });
});

const RESETTING = `import { GantryContainer } from '@gantry-server/testcontainers';
const gantry = await new GantryContainer('gantry-testing').start();
const headers = { 'private-token': gantry.tokens.root, 'content-type': 'application/json' };
const api = \`\${gantry.url}/api/v4\`;
const count = async () => console.log(\`\${(await (await fetch(\`\${api}/projects\`, { headers })).json()).length} projects\`);
const make = () => fetch(\`\${api}/projects\`, { method: 'POST', headers, body: JSON.stringify({ name: 'Sky' }) });
await count();
await make();
await count();
await gantry.reset();
await count();
console.log((await (await fetch(\`\${api}/user\`, { headers })).json()).username);
await make();
await Promise.all([gantry.reset(), gantry.reset(), gantry.reset()]);
await count();
await gantry.stop();
`;

/** Has the server asked for something that it does not know first, whose answer comes late. */
const FAILING = `import { GantryContainer } from '@gantry-server/testcontainers';
const gantry = await new GantryContainer('gantry-testing').start();
await gantry.exec(['sh', '-c', 'printf nonsense >"$TMPDIR/gantry-control"']);
await gantry.reset().catch((error) => console.log(String(error)));
await gantry.stop();
`;

const WRONG = `import { GantryContainer } from '@gantry-server/testcontainers';
const gantry = await new GantryContainer('gantry-testing').withSeed().start();
export const right: string = gantry.tokens.root;
export const url: number = gantry.url;
await gantry.reset(true);
`;
