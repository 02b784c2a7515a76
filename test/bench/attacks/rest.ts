import type { RepositoryServer } from '../repository/server.ts';
import type { Attack } from './attack.ts';
import { type Sent, sendOnce } from './sending.ts';

const MIB = 1024 * 1024;
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The attacks on the REST API and its bodies. */
export const restAttacks: Attack[] = [
  body('8 MB of nobody', true, JSON_TYPE, () => JSON.stringify({ title: 'x'.repeat(8 * MIB - 100) })),
  body('1 MB of brackets', true, JSON_TYPE, () => '['.repeat(MIB)),
  body('1 MB of numbers', true, JSON_TYPE, () => `{"a": [${'1,'.repeat(MIB / 2 - 10)}1]}`),
  body('1 MB of pairs', true, FORM_TYPE, () => 'a&'.repeat(MIB / 2)),
  body('10,000 pairs of one list', true, FORM_TYPE, () => 'a[][b]=1&'.repeat(9_999)),
  body('names that nest', true, FORM_TYPE, () =>
    Array.from({ length: 1_000 }, (_, n) => `a${'[b]'.repeat(300)}[${n}]=1`).join('&'),
  ),
  body('1 MB of plus signs', true, FORM_TYPE, () => `a=${'+'.repeat(MIB - 2)}`),
  body('900 KB of small parts', true, 'multipart/form-data; boundary=b', () => parts(900_000, '')),
  body('8 MB in a title', false, JSON_TYPE, () => JSON.stringify({ title: 'x'.repeat(8 * MIB - 100) })),
  body('1 MB of commas as labels', false, JSON_TYPE, () =>
    JSON.stringify({ title: 'x', labels: ','.repeat(MIB - 100) }),
  ),
  body('1 MB of digits as a number', false, JSON_TYPE, () =>
    JSON.stringify({ title: 'x', assignee_id: `${'1'.repeat(MIB - 100)}x` }),
  ),
  body('10,000 labels', false, JSON_TYPE, () =>
    JSON.stringify({ title: 'x', labels: Array.from({ length: 10_000 }, (_, n) => `l${n}`).join(',') }),
  ),
  body('7 MB in ten fields', false, 'multipart/form-data; boundary=b', () => parts(7 * MIB, 'x'.repeat(700_000))),
  contents('8 MB of quotes in a commit', () => commit('"'.repeat(4 * MIB - 200))),
  contents('8 MB in a commit', () => commit('x'.repeat(8 * MIB - 200))),
  contents('a commit of 8 MB of brackets', () => `{"actions": [${'[],'.repeat(2.6 * MIB)}[]]}`),
  document('the document of an npm package of 4 MB'),
  {
    name: 'an LFS batch of 1 MB of lists',
    anonymous: true,
    prepare: async (server) => {
      const { path } = await newPlace(server);
      const sent = {
        headers: { 'Content-Type': 'application/vnd.git-lfs+json' },
        body: `[${'[],'.repeat(MIB / 3 - 10)}[]]`,
      };
      return () => sendOnce(`${server.url}/${path}.git/info/lfs/objects/batch`, sent);
    },
  },
  {
    name: 'a manifest of an image of 4 MB of lists',
    anonymous: false,
    prepare: async (server) => {
      const { path } = await newPlace(server);
      const basic = `Basic ${Buffer.from(`root:${server.token}`).toString('base64')}`;
      const scope = `repository:${path}:pull,push`;
      const query = new URLSearchParams({ service: 'container_registry', scope });
      const answer = await fetch(`${server.url}/jwt/auth?${query}`, { headers: { Authorization: basic } });
      const { token } = (await answer.json()) as { token: string };
      const type = 'application/vnd.oci.image.manifest.v1+json';
      const headers = { 'Content-Type': type, Authorization: `Bearer ${token}` };
      const sent = { method: 'PUT', headers, body: `{"layers": [${'[],'.repeat((4 * MIB) / 3 - 20)}[]]}` };
      return () => sendOnce(`${server.url}/v2/${path}/manifests/v1`, sent);
    },
  },
  {
    name: 'a query of 15 KB of question marks',
    anonymous: true,
    prepare:
      async ({ url }) =>
      () =>
        sendOnce(`${url}/api/v4/projects?${'?'.repeat(15_000)}`, { method: 'GET' }),
  },
  {
    name: 'a query of 15 KB of secret words',
    anonymous: true,
    prepare:
      async ({ url }) =>
      () =>
        sendOnce(`${url}/api/v4/projects?${'token'.repeat(3_000)}`, { method: 'GET' }),
  },
  {
    name: 'a search for 15 KB of wildcards',
    anonymous: true,
    prepare:
      async ({ url }) =>
      () =>
        sendOnce(`${url}/api/v4/projects?search=${'_%25'.repeat(3_500)}`, { method: 'GET' }),
  },
  {
    name: 'the 20,000,000th page',
    anonymous: true,
    prepare:
      async ({ url }) =>
      () =>
        sendOnce(`${url}/api/v4/projects?page=20000000&per_page=100`, { method: 'GET' }),
  },
  {
    name: 'lists of 100 issues of 64 KB',
    anonymous: false,
    prepare: async (server) => {
      const at = `projects/${await newProject(server)}/issues`;
      for (let n = 0; n < 100; n += 1) await server.ask(at, { title: `Long ${n}`, description: 'd'.repeat(65_536) });
      return () => send(server, `${at}?per_page=100`, { method: 'GET' });
    },
  },
  {
    name: '.gitlab-ci.yml of 4,000 anchors',
    anonymous: false,
    prepare: async (server) => {
      const id = await newProject(server);
      const file = { branch: 'master', commit_message: 'Slow', content: anchors() };
      await server.ask(`projects/${id}/repository/files/%2Egitlab-ci%2Eyml`, file);
      const headers = { 'Content-Type': JSON_TYPE };
      return () => send(server, `projects/${id}/pipeline`, { headers, body: '{"ref": "master"}' });
    },
  },
];

/** A body that is sent to create an issue, by nobody or by somebody who may. */
function body(name: string, anonymous: boolean, type: string, make: () => string): Attack {
  return {
    name,
    anonymous,
    prepare: async (server) => {
      const path = `projects/${await newProject(server)}/issues`;
      const sent = { headers: { 'Content-Type': type }, body: Buffer.from(make()) };
      return () => (anonymous ? sendOnce(`${server.url}/api/v4/${path}`, sent) : send(server, path, sent));
    },
  };
}

/** The document of a public npm package whose manifests hold as many values as they may. */
function document(name: string): Attack {
  return {
    name,
    anonymous: false,
    prepare: async (server) => {
      const { id } = await newPlace(server);
      const path = `projects/${id}/packages/npm/wide`;
      for (let n = 0; n < 24; n += 1) {
        const version = `1.0.${n}`;
        const manifest = { name: 'wide', version, list: Array.from({ length: 90_000 }, () => 1) };
        const attached = { [`wide-${version}.tgz`]: { data: Buffer.from(version).toString('base64') } };
        const published = { name: 'wide', versions: { [version]: manifest }, 'dist-tags': {}, _attachments: attached };
        const headers = { 'Content-Type': JSON_TYPE };
        await send(server, path, { method: 'PUT', headers, body: JSON.stringify(published) });
      }
      return () => send(server, path, { method: 'GET' });
    },
  };
}

/** A body that is sent to make a commit. */
function contents(name: string, make: () => string): Attack {
  return {
    name,
    anonymous: false,
    prepare: async (server) => {
      const path = `projects/${await newProject(server)}/repository/commits`;
      const sent = { headers: { 'Content-Type': JSON_TYPE }, body: Buffer.from(make()) };
      return () => send(server, path, sent);
    },
  };
}

function send({ url, token }: RepositoryServer, path: string, { headers, ...sent }: Sent): Promise<string> {
  return sendOnce(`${url}/api/v4/${path}`, { ...sent, headers: { ...headers, 'PRIVATE-TOKEN': token } });
}

let count = 0;

async function newProject(server: RepositoryServer): Promise<number> {
  return (await newPlace(server)).id;
}

/** A new public project: its ID and its full path. */
async function newPlace(server: RepositoryServer): Promise<{ id: number; path: string }> {
  count += 1;
  const project = JSON.parse((await server.ask('projects', { name: `body${count}`, visibility: 'public' })).text);
  return { id: project.id, path: project.path_with_namespace };
}

function commit(content: string): string {
  const actions = [{ action: 'create', file_path: 'large', content }];
  return JSON.stringify({ branch: 'master', commit_message: 'Large', actions });
}

function parts(size: number, value: string): string {
  const part = `--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n${value}\r\n`;
  return `${part.repeat(Math.floor(size / part.length))}--b--\r\n`;
}

function anchors(): string {
  const keys = Array.from({ length: 4_000 }, (_, n) => `.k${n}: &a${n} x`);
  const aliases = Array.from({ length: 4_000 }, (_, n) => `*a${n}`);
  return `job: {script: x}\n${keys.join('\n')}\n.z: [${aliases.join(', ')}]\n`;
}
