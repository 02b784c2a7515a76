import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAIL_IN, mailAddress, writeMail } from '../support/mail_in.ts';
import {
  gantry,
  printed,
  type ServerProcess,
  scratchDirectory,
  settings,
  startServer,
} from '../support/server_process.ts';

/** As the setting has it: without white space at its ends. */
const SECRET = 'a secret for the keys of addresses';

let token = '';
let data: string;
let remove: () => void;
let server: ServerProcess | undefined;

beforeEach(() => {
  const scratch = scratchDirectory();
  data = path.join(scratch.directory, 'data');
  remove = scratch.remove;
});

afterEach(async () => {
  if (server?.child.exitCode === null && server.child.signalCode === null) await server.end('SIGTERM');
  server = undefined;
  remove();
});

async function api(method: string, route: string, body?: object) {
  const answer = await fetch(`${server?.url}/api/v4${route}`, {
    method,
    headers: {
      'Content-Type': 'application/json',
      'PRIVATE-TOKEN': token,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return answer.json();
}

/** The titles of all issues of a project, once there are so many. */
async function titles(projectId: number, count: number): Promise<string[]> {
  for (const end = Date.now() + 30_000; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const issues = (await api('GET', `/projects/${projectId}/issues?order_by=created_at&sort=asc`)) as {
      title: string;
    }[];
    if (issues.length >= count || Date.now() > end) return issues.map(({ title }) => title);
  }
}

test('a mail server hands messages to gantry mail-in, whether the server runs or not', async () => {
  const env = settings(data, { GANTRY_MAIL_IN_ADDRESS: MAIL_IN, GANTRY_SECRET: SECRET });
  server = await startServer(env);
  token = printed(server.output(), 'Private token') ?? '';
  const [root, project] = [await api('GET', '/user'), await api('POST', '/projects', { name: 'Mailed' })];
  const to = mailAddress({ kind: 'newIssue', userId: root.id, version: 0, projectId: project.id }, SECRET);
  const message = (subject: string, more = {}) => writeMail({ from: root.email, to, subject, text: 'Hello', ...more });
  const pipe = async (content: Buffer) => {
    const { status, stdout, stderr } = await gantry(['mail-in'], env, content);
    return [status, stdout, stderr];
  };
  const first = message('First');
  expect(await pipe(first)).toEqual([0, '', '']);
  expect(await titles(project.id, 1)).toEqual(['First']);
  expect(await pipe(first)).toEqual([0, '', 'gantry: The message was received before.\n']);
  const automatic = message('Away', { headers: { 'Auto-Submitted': 'auto-replied' } });
  expect(await pipe(automatic)).toEqual([0, '', 'gantry: The message was sent by a program (Auto-Submitted).\n']);
  const lost = writeMail({ from: root.email, to: 'somebody@example.org', text: 'Hello' });
  expect(await pipe(lost)).toEqual([65, '', 'gantry: The message is for no valid address of this server.\n']);
  const huge = Buffer.alloc(27 * 1024 * 1024, 'a');
  expect(await pipe(huge)).toEqual([65, '', 'gantry: A message can have at most 25 MB.\n']);

  expect(await server.end('SIGTERM')).toBe(0);
  expect(await pipe(message('Second'))).toEqual([0, '', '']);
  server = await startServer(env);
  expect(await titles(project.id, 2)).toEqual(['First', 'Second']);
}, 240_000);

test('a mail server is told to try again later where the server cannot be reached, or receives no mail', async () => {
  const content = writeMail({ from: 'a@example.org', to: 'b@example.org', text: 'Hello' });
  const without = await gantry(['mail-in'], settings(data), content);
  expect([without.status, without.stderr]).toEqual([69, 'gantry: GANTRY_MAIL_IN_ADDRESS is not set\n']);
  const wrong = await gantry(['mail-in'], settings(data, { GANTRY_MAIL_IN_ADDRESS: 'incoming@example.com' }), content);
  expect([wrong.status, wrong.stderr]).toEqual([
    69,
    expect.stringContaining('is not of the form incoming+%{key}@example.com'),
  ]);
  const nowhere = await gantry(['mail-in'], settings(data, { GANTRY_MAIL_IN_ADDRESS: MAIL_IN }), content);
  expect([nowhere.status, nowhere.stderr]).toEqual([75, expect.stringContaining('There is no Gantry in')]);
}, 120_000);
