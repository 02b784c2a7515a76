import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packagePath } from '#src/platform/package_root.ts';
import { type Finished, run } from './server_process.ts';

/** A package of its own, so that the clients and what they bring along are no part of the project's dependencies. */
const directory = packagePath('test/system/graphql_clients');

/** Installs the clients in the versions that are locked, where they are not there yet. */
export async function installClients(): Promise<void> {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(directory, 'package-lock.json')))
    .digest('hex');
  const mark = path.join(directory, 'node_modules', '.installed');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  await succeed('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']);
  writeFileSync(mark, lock);
}

/** Has graphql-codegen and relay-compiler read the schema of a server, and write types and artifacts for the documents. */
export async function generateTypes(url: string): Promise<void> {
  const schema = await fetch(`${url}/graphql/schema.graphql`);
  mkdirSync(path.join(directory, 'generated'), { recursive: true });
  await succeed(installed('graphql-codegen'), ['--config', 'codegen.ts'], { SCHEMA_URL: `${url}/graphql` });
  writeFileSync(path.join(directory, 'generated', 'schema.graphql'), await schema.text());
  await succeed(installed('relay-compiler'), ['relay.config.json']);
}

/** Checks the programs and what was generated for them, as strictly as tsc can. */
export function checkTypes(): Promise<Finished> {
  return run(packagePath('node_modules/.bin/tsc'), ['--project', directory], { cwd: directory });
}

/** Runs a program, e.g. `apollo/cache`, against a server. */
export function runClient(program: string, url: string, token: string): Promise<Finished> {
  const relay = program.startsWith('relay/') ? ['--import', './relay/register.ts'] : [];
  return run(process.execPath, [...relay, `${program}.ts`, url, token], { cwd: directory });
}

function installed(program: string): string {
  return path.join(directory, 'node_modules', '.bin', program);
}

async function succeed(command: string, args: string[], more: NodeJS.ProcessEnv = {}): Promise<void> {
  const { status, stdout, stderr } = await run(command, args, { cwd: directory, env: { ...process.env, ...more } });
  if (status !== 0) throw new Error(`${path.basename(command)} failed: ${stdout}${stderr}`);
}
