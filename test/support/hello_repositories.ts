import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { createGunzip } from 'node:zlib';
import { startChild } from '#src/git/program/child.ts';
import { commitFile, run, workingCopy } from './git_client.ts';
import { git, scratch } from './git_program.ts';

/** The commits of `hello-world`: the first one, the head of pull request 3, and head and merge commit of pull request 4. */
export interface HelloCommits {
  first: string;
  head: string;
  fix: string;
  merge: string;
}

/** The content of the file that `hello-world` has in Git LFS. */
export const MODEL = Buffer.alloc(100_000, 'weights of the model\n');

/** What git has in place of a file in Git LFS. */
export function pointerTo(content: Buffer): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${hash('sha256', content)}\nsize ${content.length}\n`;
}

/** The lines of pull request 3, up to the third one of the new file. */
export const HUNK = '@@ -1,4 +1,4 @@\n one\n-two\n-three\n+TWO\n+THREE';

/** The repositories of `hello-world` and of its wiki, which servers in tests have. */
export async function helloRepositories(): Promise<HelloCommits & { bare: string; wiki: string }> {
  const work = await workingCopy('file');
  await commitFile(work, '.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n');
  await commitFile(work, 'model.bin', pointerTo(MODEL));
  const first = await commitFile(work, 'a.txt', 'one\ntwo\nthree\nfour\n');
  await run(work, 'tag', 'v1.0');
  await run(work, 'checkout', '--quiet', '-b', 'topic');
  const head = await commitFile(work, 'a.txt', 'one\nTWO\nTHREE\nfour\n');
  await run(work, 'checkout', '--quiet', '-b', 'fix', first);
  const fix = await commitFile(work, 'b.txt', 'fixed\n');
  await run(work, 'checkout', '--quiet', 'main');
  await run(work, 'merge', '--quiet', '--no-ff', '-m', 'Merge #4', 'fix');
  const merge = await run(work, 'rev-parse', 'HEAD');
  await run(work, 'branch', '-D', 'fix');
  const bare = path.join(scratch('file'), 'hello.git');
  git(path.dirname(bare), ['clone', '--quiet', '--bare', work, bare]);
  git(bare, ['update-ref', 'refs/pull/3/head', head]);
  git(bare, ['fetch', '--quiet', work, `${fix}:refs/pull/4/head`]);
  const wiki = await workingCopy('file');
  await commitFile(wiki, 'home.md', 'Welcome\n');
  return { bare, wiki: path.join(wiki, '.git'), first, head, fix, merge };
}

/** Answers what git asks for in order to fetch from a repository over HTTP. */
export function serveFetch(
  directory: string,
  service: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const isAdvertisement = service === 'info/refs';
  const kind = isAdvertisement ? 'advertisement' : 'result';
  response.writeHead(200, { 'content-type': `application/x-git-upload-pack-${kind}` });
  if (isAdvertisement) response.write('001e# service=git-upload-pack\n0000');
  const args = ['upload-pack', '--stateless-rpc', ...(isAdvertisement ? ['--advertise-refs'] : []), directory];
  const program = startChild('git', args, { cwd: directory, env: { PATH: process.env.PATH } });
  program.stdout.pipe(response);
  if (isAdvertisement) program.stdin.end();
  else if (request.headers['content-encoding'] === 'gzip') request.pipe(createGunzip()).pipe(program.stdin);
  else request.pipe(program.stdin);
}
