import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ContainerClient, imageOf } from '../support/container_client.ts';
import { commitFile, gitClient, run } from '../support/git_client.ts';
import type { Json } from '../support/http.ts';
import { TestRunner } from '../support/runner.ts';
import type { TestUser } from '../support/world.ts';
import { zip } from '../support/zip.ts';

/** An answer; `status` 0 where none came: then nobody knows whether it was done. */
export interface Answer {
  status: number;
  body: Json;
  text: string;
}

type Ask = (
  method: string,
  target: string,
  body?: object | FormData | string | Buffer,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Sends a request as the administrator; `url` is that of the server. */
export type Send = Ask & { url(): string };

/** How long somebody waits who was told: later. */
const BREAK_MS = 250;

export function sender(url: () => string, token: string): Send {
  const send: Ask = async (method, target, body, headers = {}) => {
    const isPlain = body === undefined || body instanceof FormData || typeof body === 'string' || Buffer.isBuffer(body);
    try {
      const response = await fetch(
        target.startsWith('http') ? target : `${url()}${target.startsWith('/v4') ? `/api${target}` : target}`,
        {
          method,
          headers: { 'PRIVATE-TOKEN': token, ...(isPlain ? {} : { 'Content-Type': 'application/json' }), ...headers },
          signal: AbortSignal.timeout(90_000),
          ...(body === undefined ? {} : { body: (isPlain ? body : JSON.stringify(body)) as BodyInit }),
        },
      );
      const text = await response.text();
      if ([502, 503].includes(response.status)) await sleep(BREAK_MS);
      return { status: response.status, text, body: parsed(text) };
    } catch {
      await sleep(BREAK_MS);
      return { status: 0, body: null, text: '' };
    }
  };
  return Object.assign(send, { url });
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** What somebody was told to be done, and how it is seen later. */
export interface Promised {
  what: string;
  /** When it was said, as the ledger's clock has it. */
  since: number;
  /** When somebody asked for it to be undone; null for what stays. */
  until: number | null;
  /** Why it is not there; null if it is. */
  check: (send: Send) => Promise<string | null>;
}

/** All that was acknowledged. */
export class Ledger {
  readonly promised: Promised[] = [];
  /** Answers that are neither success nor "later". */
  readonly refusals: string[] = [];
  readonly statuses = new Map<number, number>();
  /** IDs of the jobs that runners were given. */
  readonly taken: number[] = [];
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock();
  }

  /** Whether an answer says that it is done. */
  isDone(answer: Answer, what: string): boolean {
    const { status, text } = answer;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    // What cannot be done now is refused in a way that says: later. 502 is a balancer's own word for a server that was killed.
    if (status >= 400 && ![502, 503].includes(status)) this.refusals.push(`${what}: ${status} ${text.slice(0, 300)}`);
    return status > 0 && status < 300;
  }

  promise(what: string, check: Promised['check']): Promised {
    const promised: Promised = { what, since: this.now(), until: null, check };
    this.promised.push(promised);
    return promised;
  }

  /** Says that these may be gone from now on. */
  undo(promised: readonly Promised[]): void {
    for (const one of promised) one.until ??= this.now();
  }

  /** How many of each kind there are. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { what } of this.promised) {
      const kind = what.split(' ')[0] ?? '';
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
  }
}

/** What all acts share. */
export interface Stage {
  send: Send;
  url: () => string;
  token: string;
  ledger: Ledger;
  random: () => number;
  signal: AbortSignal;
  project: number;
  /** Full path of the project. */
  path: string;
  runner: { id: number; token: string };
  /** An exported project with a commit and an issue. */
  archive: Uint8Array<ArrayBuffer>;
}

/** What the archive has in its file and in the title of its issue. */
const ARCHIVED = 'from an archive';

const CI = 'build:\n  script: ["true"]\n  artifacts:\n    paths: [out]\n';

/** Makes the project that the acts are on, with its runner. */
export async function setStage(
  base: Omit<Stage, 'project' | 'path' | 'runner' | 'archive'>,
  name = 'campaign',
): Promise<Stage> {
  const { send } = base;
  const made = await must(send('POST', '/v4/projects', { name, visibility: 'public' }));
  const actions = [
    { action: 'create', file_path: 'README.md', content: 'Read me\n' },
    { action: 'create', file_path: '.gitlab-ci.yml', content: CI },
  ];
  await must(
    send('POST', `/v4/projects/${made.id}/repository/commits`, { branch: 'main', commit_message: 'First', actions }),
  );
  const runner = await must(
    send('POST', '/v4/user/runners', { runner_type: 'project_type', project_id: made.id, run_untagged: true }),
  );
  return { ...base, project: made.id, path: made.path_with_namespace, runner, archive: await exported(base, name) };
}

/** Makes a small project and exports it. */
async function exported({ send, url, token }: Pick<Stage, 'send' | 'url' | 'token'>, name: string) {
  const { id } = await must(send('POST', '/v4/projects', { name: `${name}-source` }));
  const actions = [{ action: 'create', file_path: 'a.txt', content: ARCHIVED }];
  const commit = { branch: 'main', commit_message: 'First', actions };
  await must(send('POST', `/v4/projects/${id}/repository/commits`, commit));
  await must(send('POST', `/v4/projects/${id}/issues`, { title: ARCHIVED }));
  await must(send('POST', `/v4/projects/${id}/export`));
  for (;;) {
    const { export_status: status } = await must(send('GET', `/v4/projects/${id}/export`));
    if (status === 'finished') break;
    if (['none', 'failed'].includes(status)) throw new Error('The project is not exported');
    await sleep(200);
  }
  const headers = { 'PRIVATE-TOKEN': token };
  const answer = await fetch(`${url()}/api/v4/projects/${id}/export/download`, { headers });
  return new Uint8Array(await answer.arrayBuffer());
}

async function must(sent: Promise<Answer>): Promise<Json> {
  const { status, body, text } = await sent;
  if (status === 0 || status >= 300) throw new Error(`${status} ${text}`);
  return body;
}

/** Something that somebody does, again and again. `n` counts. */
type Act = (stage: Stage, n: number) => Promise<void>;

const at = (stage: Stage, rest: string) => `/v4/projects/${stage.project}${rest}`;
const unique = () => randomUUID().slice(0, 13);

/** For checks: says what is missing unless it holds. */
const unless = (holds: boolean, why: string) => (holds ? null : why);

/** Whether a GET answers with what contains a text. */
const shows = (target: string, text: string) => async (send: Send) => {
  const answer = await send('GET', target);
  return unless(
    answer.status === 200 && answer.text.includes(text),
    `${target}: ${answer.status} ${answer.text.slice(0, 100)}`,
  );
};

const openIssue: Act = async (stage, n) => {
  const title = `issue ${n} ${unique()}`;
  const made = await stage.send('POST', at(stage, '/issues'), { title });
  if (!stage.ledger.isDone(made, 'issue')) return;
  const issue = at(stage, `/issues/${made.body.iid}`);
  stage.ledger.promise(`issue ${title}`, shows(issue, title));
  const text = `comment ${unique()}`;
  const said = await stage.send('POST', `${issue}/notes`, { body: text });
  if (stage.ledger.isDone(said, 'comment'))
    stage.ledger.promise(`comment ${text}`, shows(`${issue}/notes/${said.body.id}`, text));
};

const commit: Act = async (stage, n) => {
  const file = `commits/${n % 7}/${unique()}.txt`;
  const actions = [{ action: 'create', file_path: file, content: `${file} ${'x'.repeat(stage.random() * 3000)}` }];
  const answer = await stage.send('POST', at(stage, '/repository/commits'), {
    branch: 'main',
    commit_message: `Add ${file} [skip ci]`,
    actions,
  });
  if (!stage.ledger.isDone(answer, 'commit')) return;
  stage.ledger.promise(
    `commit ${answer.body.id}`,
    shows(at(stage, `/repository/files/${encodeURIComponent(file)}/raw?ref=main`), file),
  );
};

const push: Act = async (stage, n) => {
  const copy = mkdtempSync(path.join(tmpdir(), 'gantry-copy-'));
  try {
    await run(copy, 'init', '--quiet', '--initial-branch=main');
    for (let commits = Math.ceil(stage.random() * 4); commits > 0; commits -= 1) {
      writeFileSync(path.join(copy, 'large.bin'), unique().repeat(Math.ceil(stage.random() * 2000)));
      await run(copy, 'add', '.');
      await commitFile(copy, `${commits}.txt`, unique());
    }
    const tip = await run(copy, 'rev-parse', 'HEAD');
    const branch = `pushed/${n}-${unique()}`;
    const remote = `${stage.url().replace('://', `://oauth2:${stage.token}@`)}/${stage.path}.git`;
    const options = ['-o', 'ci.skip'];
    const { code } = await gitClient(copy, 'push', '--quiet', ...options, remote, `HEAD:refs/heads/${branch}`);
    if (code !== 0) return;
    const promised = stage.ledger.promise(
      `push ${branch}`,
      shows(at(stage, `/repository/branches/${encodeURIComponent(branch)}`), tip),
    );
    if (n % 5 !== 4) return;
    stage.ledger.undo([promised]);
    const deleted = await gitClient(copy, 'push', '--quiet', remote, `:refs/heads/${branch}`);
    if (deleted.code !== 0) return;
    stage.ledger.promise(`unpush ${branch}`, async (send) => {
      const { status } = await send('GET', at(stage, `/repository/branches/${encodeURIComponent(branch)}`));
      return unless(status === 404, `${branch} is back`);
    });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
};

const merge: Act = async (stage, n) => {
  const branch = `merged-${n}-${unique()}`;
  const file = `merges/${branch}.txt`;
  const actions = [{ action: 'create', file_path: file, content: file }];
  const made = await stage.send('POST', at(stage, '/repository/commits'), {
    branch,
    start_branch: 'main',
    commit_message: `Add ${file} [skip ci]`,
    actions,
  });
  if (!stage.ledger.isDone(made, 'branch')) return;
  const opened = await stage.send('POST', at(stage, '/merge_requests'), {
    source_branch: branch,
    target_branch: 'main',
    title: branch,
  });
  if (!stage.ledger.isDone(opened, 'merge_request')) return;
  const request = at(stage, `/merge_requests/${opened.body.iid}`);
  stage.ledger.promise(`merge_request ${branch}`, shows(request, branch));
  if (n % 2 === 0) {
    const rebased = await stage.send('PUT', `${request}/rebase`, {});
    stage.ledger.isDone(rebased, 'rebase');
  }
  for (let tries = 0; tries < 20 && !stage.signal.aborted; tries += 1) {
    const accepted = await stage.send('PUT', `${request}/merge`, {});
    // It may not be known yet whether it can be merged, and a rebase may be at work.
    if ([405, 406, 409, 422].includes(accepted.status)) {
      await sleep(200);
      continue;
    }
    if (!stage.ledger.isDone(accepted, 'merge')) return;
    stage.ledger.promise(`merge ${branch}`, async (send) => {
      const state = await shows(request, '"state":"merged"')(send);
      return state ?? shows(at(stage, `/repository/files/${encodeURIComponent(file)}/raw?ref=main`), file)(send);
    });
    return;
  }
};

const upload: Act = async (stage) => {
  const content = `upload ${unique()}`;
  const form = new FormData();
  form.append('file', new File([content], 'notes.txt'));
  const answer = await stage.send('POST', at(stage, '/uploads'), form);
  if (!stage.ledger.isDone(answer, 'upload')) return;
  stage.ledger.promise(`upload ${answer.body.url}`, shows(`/${stage.path}${answer.body.url}`, content));
};

const basicOf = (stage: Pick<Stage, 'token'>) => ({
  Authorization: `Basic ${Buffer.from(`root:${stage.token}`).toString('base64')}`,
});
const LFS = { Accept: 'application/vnd.git-lfs+json', 'Content-Type': 'application/vnd.git-lfs+json' };

const storeLfsObject: Act = async (stage) => {
  const content = Buffer.from(`lfs ${unique()} ${'y'.repeat(stage.random() * 20_000)}`);
  const oid = createHash('sha256').update(content).digest('hex');
  const batch = (operation: string) =>
    JSON.stringify({ operation, transfers: ['basic'], objects: [{ oid, size: content.length }] });
  const where = `/${stage.path}.git/info/lfs/objects/batch`;
  const headers = { ...LFS, ...basicOf(stage) };
  const asked = await stage.send('POST', where, batch('upload'), headers);
  if (!stage.ledger.isDone(asked, 'lfs batch')) return;
  const { href, header } = asked.body.objects[0].actions.upload;
  const target = stage.url() + new URL(href).pathname + new URL(href).search;
  const sent = await stage.send('PUT', target, content, {
    ...basicOf(stage),
    ...header,
    'Content-Type': 'application/octet-stream',
  });
  if (!stage.ledger.isDone(sent, 'lfs')) return;
  stage.ledger.promise(`lfs ${oid}`, async (send) => {
    const found = await send('POST', where, batch('download'), headers);
    const action = found.body?.objects?.[0]?.actions?.download;
    if (!action) return `no download of ${oid}: ${found.text.slice(0, 200)}`;
    const { pathname, search } = new URL(action.href);
    const answer = await send('GET', pathname + search, undefined, { ...basicOf(stage), ...action.header });
    return unless(answer.text === content.toString(), `${pathname}: ${answer.status} ${answer.text.slice(0, 100)}`);
  });
};

const publishPackage: Act = async (stage, n) => {
  const content = `package ${unique()}`;
  const target = at(stage, `/packages/generic/tools/${n}.0.${Math.floor(stage.random() * 1e6)}/tool.txt`);
  const answer = await stage.send('PUT', target, Buffer.from(content));
  if (stage.ledger.isDone(answer, 'package')) stage.ledger.promise(`package ${target}`, shows(target, content));
};

/** Whom clients of git and of the registry sign in as. */
const as = ({ token }: Stage) => ({ username: 'root', token }) as TestUser;

async function isFull(client: ContainerClient, name: string): Promise<boolean> {
  const answer = await client.send(`/v2/${name}/blobs/uploads/`, { method: 'POST' });
  return answer.status === 403 && (await answer.text()).includes('broken off');
}

const pushImage: Act = async (stage, n) => {
  const name = stage.path.toLowerCase();
  const image = imageOf();
  const tag = `v${n}-${unique()}`;
  const client = new ContainerClient(stage.url(), as(stage));
  const status = await client.pushImage(name, tag, image).catch(() => 0);
  // So many pushes of a day have been broken off that no more may begin.
  if (status === 403 && (await isFull(client, name))) return void (await sleep(5_000));
  if (!stage.ledger.isDone({ status, body: null, text: '' }, 'image')) return;
  stage.ledger.promise(`image ${tag}`, async (send) => {
    const registry = new ContainerClient(send.url(), as(stage));
    const manifest = await registry.send(`/v2/${name}/manifests/${tag}`);
    if (manifest.status !== 200) return `manifest ${tag}: ${manifest.status}`;
    for (const { digest, bytes } of [image.config, ...image.layers]) {
      const blob = await registry.send(`/v2/${name}/blobs/${digest}`);
      if (blob.status !== 200 || !Buffer.from(await blob.arrayBuffer()).equals(bytes))
        return `blob ${digest} of ${tag}: ${blob.status}`;
    }
    return null;
  });
};

const writeSnippet: Act = async (stage) => {
  const content = `snippet ${unique()}`;
  const answer = await stage.send('POST', '/v4/snippets', {
    title: content,
    files: [{ file_path: 'a.txt', content }],
    visibility: 'private',
  });
  if (!stage.ledger.isDone(answer, 'snippet')) return;
  stage.ledger.promise(`snippet ${answer.body.id}`, shows(`/v4/snippets/${answer.body.id}/raw`, content));
};

const writeWiki: Act = async (stage, n) => {
  const content = `wiki ${unique()}`;
  const answer = await stage.send('POST', at(stage, '/wikis'), { title: `page-${n}-${unique()}`, content });
  if (stage.ledger.isDone(answer, 'wiki'))
    stage.ledger.promise(`wiki ${answer.body.slug}`, shows(at(stage, `/wikis/${answer.body.slug}`), content));
};

const tag: Act = async (stage, n) => {
  const name = `v${n}.${unique()}`;
  const answer = await stage.send('POST', at(stage, '/repository/tags'), {
    tag_name: name,
    ref: 'main',
    message: n % 2 ? name : '',
  });
  if (stage.ledger.isDone(answer, 'tag'))
    stage.ledger.promise(`tag ${name}`, shows(at(stage, `/repository/tags/${name}`), answer.body.commit.id));
};

/** Makes a project with a file, renames it, forks it, and deletes one or the other. */
const moveProject: Act = async (stage, n) => {
  const { send, ledger } = stage;
  const name = `moving-${n}-${unique()}`;
  const made = await send('POST', '/v4/projects', { name });
  if (!ledger.isDone(made, 'project')) return;
  const project = `/v4/projects/${made.body.id}`;
  const all: Promised[] = [ledger.promise(`project ${name}`, shows(project, `"id":${made.body.id}`))];
  const actions = [{ action: 'create', file_path: 'a.txt', content: name }];
  const file = `/repository/files/a.txt/raw?ref=main`;
  const committed = await send('POST', `${project}/repository/commits`, {
    branch: 'main',
    commit_message: 'A',
    actions,
  });
  const hasFile = ledger.isDone(committed, 'commit');
  if (hasFile) all.push(ledger.promise(`commit ${committed.body.id}`, shows(`${project}${file}`, name)));
  const renamed = `renamed-${n}-${unique()}`;
  if (ledger.isDone(await send('PUT', project, { path: renamed }), 'rename'))
    all.push(ledger.promise(`rename ${renamed}`, shows(project, renamed)));
  if (hasFile && n % 2 === 0) {
    const group = await send('POST', '/v4/groups', { name, path: name });
    if (ledger.isDone(group, 'group')) {
      const copy = await send('POST', `${project}/fork`, { namespace: name });
      if (ledger.isDone(copy, 'fork')) {
        const fork = `/v4/projects/${copy.body.id}`;
        ledger.promise(`fork ${name}`, shows(`${fork}${file}`, name));
      }
    }
  }
  if (n % 3 !== 0) return;
  ledger.undo(all);
  const deletion = await send('DELETE', project);
  if (!ledger.isDone(deletion, 'deletion')) return;
  ledger.promise(`deletion ${made.body.id}`, async (ask) =>
    unless((await ask('GET', project)).status === 404, `${project} is back`),
  );
};

/** Makes a project of an archive; what is in it comes once, whatever happens meanwhile. */
const importProject: Act = async (stage, n) => {
  const form = new FormData();
  const name = `imported-${n}-${unique()}`;
  form.append('path', name);
  form.append('file', new File([stage.archive], 'project.tar.gz'));
  const answer = await stage.send('POST', '/v4/projects/import', form);
  if (!stage.ledger.isDone(answer, 'import')) return;
  const project = `/v4/projects/${answer.body.id}`;
  stage.ledger.promise(`import ${name}`, async (send) => {
    const { status, body: state } = await send('GET', `${project}/import`);
    if (state?.import_status !== 'finished') return `${status} ${state?.import_status}: ${state?.import_error}`;
    const { body: issues } = await send('GET', `${project}/issues`);
    if (issues?.length !== 1 || issues[0].title !== ARCHIVED) return `${issues?.length} issues in ${name}`;
    return shows(`${project}/repository/files/a.txt/raw?ref=main`, ARCHIVED)(send);
  });
  await sleep(1_000);
};

/** A commit with a pipeline, whose job a runner takes, prints something and hands in artifacts. */
const runJob: Act = async (stage, n) => {
  const { send, ledger, url } = stage;
  const file = `jobs/${unique()}.txt`;
  const actions = [{ action: 'create', file_path: file, content: file }];
  const made = await send('POST', at(stage, '/repository/commits'), {
    branch: 'main',
    commit_message: `Add ${file}`,
    actions,
  });
  if (!ledger.isDone(made, 'commit')) return;
  ledger.promise(`pipeline ${made.body.id}`, async (ask) => {
    const { body } = await ask('GET', at(stage, `/pipelines?ref=main&sha=${made.body.id}`));
    return unless(Array.isArray(body) && body.length === 1, `${body?.length} pipelines of ${made.body.id}`);
  });
  const runner = new TestRunner(url(), stage.runner);
  const asked = await runner.request().catch(() => null);
  if (asked?.status !== 201) return;
  const job = asked.body;
  ledger.taken.push(job.id);
  const text = `line ${n} ${unique()}\n`;
  const printed = await runner.print(job, 0, text).catch(() => null);
  if (printed?.status === 202) ledger.promise(`log ${job.id}`, shows(at(stage, `/jobs/${job.id}/trace`), text.trim()));
  const form = new FormData();
  form.append('file', new File([new Uint8Array(await zip({ out: unique() }))], 'artifacts.zip'));
  const stored = await send('POST', `/v4/jobs/${job.id}/artifacts`, form, { 'JOB-TOKEN': job.token });
  if (ledger.isDone(stored, 'artifacts')) {
    ledger.promise(`artifacts ${job.id}`, async (ask) =>
      unless(
        (await ask('GET', at(stage, `/jobs/${job.id}/artifacts`))).status === 200,
        `no artifacts of job ${job.id}`,
      ),
    );
  }
  const ended = await runner.update(job, 'success').catch(() => null);
  if (ended?.status === 200) ledger.promise(`job ${job.id}`, shows(at(stage, `/jobs/${job.id}`), '"status":"success"'));
};

/** Has the repository repacked. */
const housekeep: Act = async (stage) => {
  const answer = await stage.send('POST', at(stage, '/housekeeping'));
  // One at a time.
  if (answer.status !== 409) stage.ledger.isDone(answer, 'housekeeping');
  await sleep(1_000);
};

export const ACTS: Readonly<Record<string, Act>> = {
  openIssue,
  commit,
  push,
  merge,
  upload,
  storeLfsObject,
  publishPackage,
  pushImage,
  writeSnippet,
  writeWiki,
  tag,
  moveProject,
  importProject,
  runJob,
  housekeep,
};

/** Does all of them at once, each again and again, until the stage's signal says to stop; resolves when all have stopped. */
export async function perform(stage: Stage, pause = 20): Promise<void> {
  const loop = async (name: string, act: Act) => {
    for (let n = 0; !stage.signal.aborted; n += 1) {
      try {
        await act(stage, n);
      } catch (error) {
        // A client of git or of the registry may break off in the middle of what it does.
        stage.ledger.statuses.set(0, (stage.ledger.statuses.get(0) ?? 0) + 1);
        if (!(error instanceof Error)) throw error;
        if (!/fetch failed|terminated|ECONN|abort|socket/i.test(`${error.name} ${error.message} ${error.cause}`)) {
          stage.ledger.refusals.push(`${name}: ${error.stack}`);
        }
      }
      await sleep(pause + stage.random() * pause);
    }
  };
  await Promise.all(Object.entries(ACTS).map(([name, act]) => loop(name, act)));
}

export interface BrokenOptions {
  /** Looks at what was said up to here. */
  by?: number;
  /** Looks at so many at most: half of them are the last, the others random ones. */
  most?: number;
  random?: () => number;
}

/** What of the ledger is not as it was said. */
export async function broken(send: Send, ledger: Ledger, options: BrokenOptions = {}): Promise<string[]> {
  const { by = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY, random = Math.random } = options;
  const all = ledger.promised.filter(({ since, until }) => since <= by && (until === null || until > by));
  const last = all.slice(-most / 2);
  const before = all.slice(0, all.length - last.length);
  const due = [...last, ...before.filter(() => random() * before.length < most / 2)];
  // What was acknowledged may have to be followed by what jobs do.
  const deadline = performance.now() + PATIENCE_MS;
  for (let open = due; ; await sleep(500)) {
    const wrong = await lookAt(send, open);
    if (wrong.length === 0 || performance.now() > deadline) return wrong.map(({ one, why }) => `${one.what}: ${why}`);
    open = wrong.map(({ one }) => one);
  }
}

/** How long jobs may take. */
const PATIENCE_MS = 30_000;

async function lookAt(send: Send, due: readonly Promised[]): Promise<{ one: Promised; why: string }[]> {
  const wrong: { one: Promised; why: string }[] = [];
  let next = 0;
  const work = async () => {
    for (let one = due[next++]; one; one = due[next++]) {
      const why = await one.check(send).catch((error) => String(error));
      if (why !== null) wrong.push({ one, why });
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return wrong;
}
