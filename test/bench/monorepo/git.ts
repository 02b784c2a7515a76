import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { devNull } from 'node:os';
import { text } from 'node:stream/consumers';

/** Like the programs that the server runs: no settings but the repository's. */
const env = {
  PATH: process.env.PATH,
  HOME: devNull,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
};

/** Runs git to its end, its output thrown away. Throws Error if it fails. */
export async function runGit(directory: string, args: readonly string[], input?: Buffer): Promise<void> {
  const protocol = { GIT_PROTOCOL: 'version=2' };
  const program = spawn('git', args, { cwd: directory, env: { ...env, ...protocol }, stdio: ['pipe', 'pipe', 'pipe'] });
  program.stdout.resume();
  program.stdin.on('error', () => undefined).end(input);
  const complaint = text(program.stderr);
  const [code] = await once(program, 'close');
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${await complaint}`);
}

/** What git writes for some input. Throws Error if it fails. */
export async function outputOf(directory: string, args: readonly string[], input?: Buffer | string): Promise<Buffer> {
  const identity = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, 'Bench'],
      [`GIT_${role}_EMAIL`, 'bench@example.com'],
    ]),
  );
  const program = spawn('git', args, { cwd: directory, env: { ...env, ...identity }, stdio: ['pipe', 'pipe', 'pipe'] });
  const parts: Buffer[] = [];
  program.stdout.on('data', (part: Buffer) => parts.push(part));
  program.stdin.on('error', () => undefined).end(input);
  const complaint = text(program.stderr);
  const [code] = await once(program, 'close');
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${await complaint}`);
  return Buffer.concat(parts);
}

/** The same as a line. */
export async function lineOf(directory: string, args: readonly string[], input?: string): Promise<string> {
  return (await outputOf(directory, args, input)).toString().trim();
}

/** A line of git's protocol. */
export function packet(line: string | Buffer): Buffer {
  const content = Buffer.from(line);
  return Buffer.concat([Buffer.from((content.length + 4).toString(16).padStart(4, '0')), content]);
}

const FLUSH = Buffer.from('0000');
const DELIMITER = Buffer.from('0001');

/** Asks for all refs, as a clone does. */
export function askForRefs(): Buffer {
  const args = ['peel\n', 'symrefs\n', 'ref-prefix refs/heads/\n', 'ref-prefix refs/tags/\n', 'ref-prefix HEAD\n'];
  return Buffer.concat([packet('command=ls-refs\n'), DELIMITER, ...args.map(packet), FLUSH]);
}

/** Asks for what leads to some commits, as a client does that has nothing; of each only the last `depth` commits if that is given. */
export function askForPack(oids: readonly string[], depth?: number): Buffer {
  const args = ['thin-pack\n', 'no-progress\n', 'include-tag\n', 'ofs-delta\n'];
  if (depth !== undefined) args.push(`deepen ${depth}\n`);
  args.push(...oids.map((oid) => `want ${oid}\n`), 'done\n');
  return Buffer.concat([packet('command=fetch\n'), DELIMITER, ...args.map(packet), FLUSH]);
}

/** A push of one commit to a branch: it changes a small file at the root. The commit is in no repository yet. */
export interface Push {
  oid: string;
  /** As a client sends it. */
  body: Buffer;
}

const ABSENT = '0'.repeat(40);

/** Makes a commit after `parent` in a repository, and the push that sends it to another one which has the parent. */
export async function pushOf(directory: string, branch: string, parent: string, before = ABSENT): Promise<Push> {
  const text = `${branch} at ${process.hrtime.bigint()}\n`;
  const blob = await lineOf(directory, ['hash-object', '-w', '--stdin'], text);
  const root = await lineOf(directory, ['ls-tree', parent]);
  const kept = root.split('\n').filter((line) => !line.endsWith('\tBENCH'));
  const tree = await lineOf(directory, ['mktree'], [...kept, `100644 blob ${blob}\tBENCH`].join('\n'));
  const oid = await lineOf(directory, ['commit-tree', '-p', parent, '-m', 'Change one file', tree]);
  const revisions = `${oid}\n^${parent}\n`;
  const pack = await outputOf(directory, ['pack-objects', '--revs', '--stdout', '--thin', '-q'], revisions);
  const command = packet(`${before} ${oid} refs/heads/${branch}\0 report-status\n`);
  return { oid, body: Buffer.concat([command, FLUSH, pack]) };
}
