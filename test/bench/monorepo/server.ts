import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type Agent, request as httpRequest } from 'node:http';
import path from 'node:path';
import { initRepository } from '#src/git/init.ts';
import { git } from '../repository/program.ts';
import type { BenchProject, RepositoryServer } from '../repository/server.ts';

/** What is sent to the server: more than `Call` of load.ts can say. */
export interface Sent {
  path: string;
  headers: Record<string, string>;
  body?: Buffer | undefined;
  method?: 'PUT' | undefined;
}

/** What is needed of a server to compare what it costs. */
export type MonorepoServer = Pick<RepositoryServer, 'url' | 'cpu'>;

/**
 * Sends a request and reads the answer, of which at most the first 64 KB are kept.
 *
 * @throws Error unless it is a success
 */
export function post(url: string, sent: Sent, agent?: Agent): Promise<string> {
  const { hostname, port } = new URL(url);
  const { path, headers, body } = sent;
  const length = body === undefined ? {} : { 'Content-Length': String(body.length) };
  const method = sent.method ?? (body === undefined ? 'GET' : 'POST');
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ hostname, port, path, agent, method, headers: { ...headers, ...length } }, (answer) => {
      let kept = '';
      answer.on('data', (part: Buffer) => {
        if (kept.length < 65_536) kept += part.toString('latin1');
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode = 0 } = answer;
        if (statusCode >= 200 && statusCode < 300) resolve(kept);
        else reject(new Error(`${path} answered ${statusCode}: ${kept.slice(0, 300)}`));
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/**
 * A project with the history of a bare repository, put in place behind the server's back: what a push of it takes is no question here.
 *
 * @param name of the project
 */
export async function adopt(server: RepositoryServer, source: string, name: string): Promise<BenchProject> {
  const project = await server.createProject(name);
  // Visitors read its pages.
  const headers = { 'PRIVATE-TOKEN': server.token, 'Content-Type': 'application/json' };
  const body = Buffer.from(JSON.stringify({ visibility: 'public' }));
  await post(server.url, { path: `/api/v4/projects/${project.id}`, headers, method: 'PUT', body });
  await initRepository(project.directory, 'main');
  const config = readFileSync(path.join(project.directory, 'config'));
  rmSync(project.directory, { recursive: true });
  // Packs are the same files where the file system can do that.
  await git(path.dirname(project.directory), ['clone', '--quiet', '--mirror', '--local', source, project.directory]);
  const draft = path.join(project.directory, 'config.draft');
  writeFileSync(draft, config);
  renameSync(draft, path.join(project.directory, 'config'));
  return project;
}
