import { Agent } from 'node:http';
import { percentile, send } from '../load.ts';
import type { Figure } from './figures.ts';
import type { RepositoryServer } from './server.ts';

/** Milliseconds that each measurement lasts. */
const TIME = 8_000;

/** How many write to one branch at once. */
const MANY = 50;

/** What writers met: milliseconds of each write, in order. */
interface Written {
  times: number[];
  /** Commits a second. */
  throughput: number;
}

/**
 * Writers on one branch of a new project: one, then fifty users at once, half of them through `/commits` and half through
 * `/files`, while somebody writes to another branch.
 */
export async function measureWriters(server: RepositoryServer): Promise<Figure[]> {
  const { id } = await server.createProject(`writers-${process.hrtime.bigint()}`);
  const at = `projects/${id}/repository`;
  await server.ask(`${at}/commits`, commitOf('main', 'first'));
  await server.ask(`${at}/branches`, { branch: 'other', ref: 'main' });
  const tokens = [];
  for (let n = 0; n <= MANY; n++) tokens.push(await developer(server, id, `writer${id}-${n}`));
  const [other = '', ...others] = tokens;
  const single = await write(server, at, 'main', others.slice(0, 1));
  const beside = write(server, at, 'other', [other]);
  const many = await write(server, at, 'main', others);
  return [
    figure('commits to one branch, 1 writer', single, '≥ 40 /s'),
    figure(`commits to one branch, ${MANY} writers`, many, '≥ 40 /s, longest ≤ 5 s'),
    figure(`commits to another branch, 1 writer beside the ${MANY}`, await beside),
  ];
}

/** The token of a new user who may write to the project. */
export async function developer(server: RepositoryServer, projectId: number, username: string): Promise<string> {
  const user = {
    username,
    name: username,
    email: `${username}@example.org`,
    password: 'correct horse',
    confirm: false,
  };
  const { id } = JSON.parse((await server.ask('users', user)).text);
  await server.ask(`projects/${projectId}/members`, { user_id: id, access_level: 40 });
  const { text } = await server.ask(`users/${id}/impersonation_tokens`, { name: 'bench', scopes: ['api'] });
  return JSON.parse(text).token;
}

/** A writer for each of these tokens, who sends the next commit when the last one was answered. */
async function write(server: RepositoryServer, at: string, branch: string, tokens: string[]): Promise<Written> {
  const agent = new Agent({ keepAlive: true, maxSockets: tokens.length });
  const times: number[] = [];
  const begun = performance.now();
  const work = async (token: string, writer: number) => {
    for (let n = 0; performance.now() < begun + TIME; n++) {
      const sent = performance.now();
      const call = callOf(server, at, branch, `${branch}/${writer % 10}/${tokens.length}-${writer}-${n}`, writer);
      const answer = await send(server.url, { ...call, headers: { 'PRIVATE-TOKEN': token } }, agent);
      if (answer.status !== 201) throw new Error(`A commit answered ${answer.status}: ${answer.text.slice(0, 300)}`);
      times.push(performance.now() - sent);
    }
  };
  try {
    await Promise.all(tokens.map(work));
  } finally {
    agent.destroy();
  }
  const throughput = (times.length / (performance.now() - begun)) * 1000;
  return { times: times.sort((a, b) => a - b), throughput };
}

function callOf(server: RepositoryServer, at: string, branch: string, file: string, writer: number) {
  if (writer % 2 === 0) return server.call(`${at}/commits`, commitOf(branch, file));
  const body = { branch, content: `About ${file}\n`, commit_message: `Add ${file}` };
  return server.call(`${at}/files/${encodeURIComponent(file)}`, body);
}

function commitOf(branch: string, file: string): object {
  const action = { action: 'create', file_path: file, content: `About ${file}\n` };
  return { branch, commit_message: `Add ${file}`, actions: [action] };
}

function figure(name: string, { times, throughput }: Written, target?: string): Figure {
  const [p50, p99, most] = [percentile(times, 0.5), percentile(times, 0.99), times.at(-1) ?? Number.NaN];
  const result = `${throughput.toFixed(0)} /s, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${most.toFixed(0)} ms`;
  return { name, result, ...(target === undefined ? {} : { target }) };
}
