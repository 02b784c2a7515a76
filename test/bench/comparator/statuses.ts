import { type ChildProcessByStdio, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { given } from '../serve.ts';
import { reporterAccess } from './access.ts';
import { baseUrl, paging, Refusal, sendPage } from './answer.ts';
import { app } from './app.ts';
import { one } from './database.ts';
import { restJson, timestamp, user } from './json.ts';

const status = restJson({
  id: 'j.id',
  sha: 'p.sha',
  ref: 'p.ref',
  status: 'j.status',
  name: 'j.name',
  target_url: 'j.target_url',
  description: 'j.description',
  created_at: timestamp('j.created_at'),
  started_at: timestamp('j.started_at'),
  finished_at: timestamp('j.finished_at'),
  allow_failure: 'j.allow_failure',
  coverage: 'j.coverage',
  author: restJson(user('u')),
});

const ofCommit = (project: string, sha: string) => `jobs j JOIN pipelines p ON p.id = j.pipeline_id
  WHERE p.project_id = ${project} AND p.sha = ${sha} AND NOT j.retried`;

const LIST = `SELECT COALESCE(json_agg(${status} ORDER BY j.id), '[]')::text AS body
  FROM (SELECT j.id FROM ${ofCommit('$2', '$3')} ORDER BY j.id LIMIT $4 OFFSET $5) page JOIN jobs j ON j.id = page.id
  JOIN pipelines p ON p.id = j.pipeline_id JOIN users u ON u.id = j.user_id`;

const COUNT = `SELECT count(*)::int AS total FROM ${ofCommit('$1', '$2')}`;

app.get('/api/v4/projects/:id/repository/commits/:sha/statuses', async (request, response) => {
  const { projectId } = await reporterAccess(request, request.params.id);
  const sha = await objects(projectId).commit(request.params.sha);
  if (sha === null) throw new Refusal(404, '404 Commit Not Found');
  const { perPage, offset } = paging(request);
  const [list, count] = await Promise.all([
    one<{ body: string }>('statuses', () => LIST, [baseUrl(request), projectId, sha, perPage, offset]),
    one<{ total: number }>('count-statuses', () => COUNT, [projectId, sha]),
  ]);
  sendPage(request, response, { ...list, ...count });
});

/** What a repository holds, asked of a `git cat-file` that is kept for it. */
class Objects {
  readonly #git: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;
  readonly #waiting: ((line: string) => void)[] = [];

  constructor(directory: string) {
    const args = ['-c', 'safe.directory=*', 'cat-file', '--batch-check'];
    this.#git = spawn('git', args, { cwd: directory, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#git.stdout });
    this.#lines.on('line', (line) => this.#waiting.shift()?.(line));
  }

  /** The full hash of a commit; null where there is none. */
  async commit(name: string): Promise<string | null> {
    if (!/^[\w./-]+$/.test(name)) return null;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#waiting.push(resolve);
    this.#git.stdin.write(`${name}^{commit}\n`);
    const [hash = '', kind] = (await promise).split(' ');
    return kind === 'commit' ? hash : null;
  }
}

const known = new Map<number, Objects>();

function objects(projectId: number): Objects {
  const found = known.get(projectId);
  if (found) return found;
  const directory = path.join(
    given().repositories,
    (projectId % 256).toString(16).padStart(2, '0'),
    `${projectId}.git`,
  );
  const made = new Objects(directory);
  known.set(projectId, made);
  return made;
}
