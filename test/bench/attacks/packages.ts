import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { debOf } from '../../support/debian.ts';
import { formWith, tarOf } from '../../support/registry.ts';
import { zip } from '../../support/zip.ts';
import type { RepositoryServer } from '../repository/server.ts';
import type { Attack } from './attack.ts';
import { sendOnce } from './sending.ts';

/** What is sent to a registry, below the path of its project. */
interface Sent {
  method?: string;
  path: string;
  /** Of the API, and not of the registry. */
  isOfProject?: true;
  headers?: Record<string, string>;
  body?: string | Buffer | FormData;
}

/** A project with as much in its registry as one answer has, and a request for that answer. */
interface Filled {
  name: string;
  /** How many publications, each of which is made of its number from 0. */
  count: number;
  publish(n: number): Promise<Sent>;
  /** What has to be there before. */
  before?: Sent[];
  read: Sent;
}

const KB = 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };
/** How many publications are under way at once. */
const WIDTH = 8;

const hash = (content: string) => createHash('sha256').update(content).digest('hex');
const file = (content: Buffer, name: string) => new File([new Uint8Array(content)], name);
/** Text that does not compress to nothing. */
const noise = (bytes: number) => randomBytes(bytes / 2).toString('hex');

/** The attacks on registries of packages: their longest answers, and the largest descriptions that they read. */
export const packageAttacks: Attack[] = [
  filled({
    name: 'PyPI: a package of 500 files',
    count: 500,
    async publish(n) {
      const texts = { ':action': 'file_upload', name: 'app', version: `1.${n}`, sha256_digest: hash(`${n}`) };
      const content = file(Buffer.from(`${n}`), `app-1.${n}.tar.gz`);
      return { path: 'pypi', body: formWith({ ...texts, requires_python: '>=3.9' }, 'content', content) };
    },
    read: { path: 'pypi/simple/app/' },
  }),
  filled({
    name: 'NuGet: a package of 1,000 versions',
    count: 1_000,
    publish: (n) => nupkg(`1.0.${n}`, 4 * KB),
    read: { path: 'nuget/metadata/app/index.json' },
  }),
  largest('NuGet: a description of 250 KB with 1,000 dependencies', () => nupkg('1.0.0', 100 * KB, 1_000)),
  filled({
    name: 'Helm: a channel of 1,000 charts',
    count: 1_000,
    publish: (n) => chart(`version: 1.0.${n}\ndescription: ${noise(4 * KB)}\n`),
    read: { path: 'helm/stable/index.yaml' },
  }),
  largest('Helm: a Chart.yaml of 120 KB of lists', () =>
    chart(`version: 1.0.0\nkeywords: ${'['.repeat(60 * KB)}${']'.repeat(60 * KB)}\n`),
  ),
  largest('Helm: a Chart.yaml of 4,000 anchors', () => {
    const keys = Array.from({ length: 4_000 }, (_, n) => `k${n}: &a${n} [${n ? `*a${n - 1}, *a${n - 1}` : ''}]`);
    return chart(`version: 1.0.0\n${keys.join('\n')}\n`);
  }),
  filled({
    name: 'RubyGems: a gem of 1,000 versions',
    count: 1_000,
    publish: (n) => gem(`1.0.${n}`),
    read: { path: 'rubygems/info/app' },
  }),
  largest('RubyGems: a specification of 1 MB', () => gem('1.0.0', `notes: [${'[],'.repeat(300 * KB)}[]]\n`)),
  filled({
    name: 'Terraform: a module of 1,000 versions',
    count: 1_000,
    publish: async (n) => ({
      method: 'PUT',
      path: `terraform/modules/vpc/aws/1.0.${n}/file`,
      body: await tarOf({ 'main.tf': '' }),
    }),
    read: { path: 'terraform/modules/vpc/aws' },
  }),
  filled({
    name: 'Composer: a package of 1,000 versions',
    count: 1_000,
    before: [
      {
        isOfProject: true,
        path: 'repository/commits',
        headers: JSON_TYPE,
        body: JSON.stringify({
          branch: 'master',
          commit_message: 'Begin',
          actions: [{ action: 'create', file_path: 'composer.json', content: composer() }],
        }),
      },
      ...Array.from({ length: 1_000 }, (_, n) => ({
        isOfProject: true as const,
        path: `repository/tags?tag_name=v1.0.${n}&ref=master`,
      })),
    ],
    publish: async (n) => ({ path: 'composer', headers: JSON_TYPE, body: JSON.stringify({ tag: `v1.0.${n}` }) }),
    read: { path: 'composer/p2/acme/app.json' },
  }),
  filled({
    name: 'Debian: a distribution of 1,000 packages of 4 KB',
    count: 1_000,
    before: [{ isOfProject: true, path: 'debian_distributions?codename=bookworm' }],
    publish: (n) => deb(`1.0-${n}`, 4 * KB),
    read: { path: 'debian/dists/bookworm/InRelease' },
  }),
  largest(
    'Debian: a package with a control file of 60 KB, as often as it is sent',
    () => deb(`1.0-${randomBytes(4).readUInt32BE()}`, 60 * KB),
    { isOfProject: true, path: 'debian_distributions?codename=bookworm' },
  ),
];

/** The longest answer of a registry. */
function filled({ name, count, publish, before = [], read }: Filled): Attack {
  return {
    name,
    anonymous: true,
    async prepare(server) {
      const id = await newProject(server);
      for (const sent of before) await mustSend(server, id, sent);
      const queue = Array.from({ length: count }, (_, n) => n);
      const publishing = async () => {
        for (let n = queue.shift(); n !== undefined; n = queue.shift()) await mustSend(server, id, await publish(n));
      };
      await Promise.all(Array.from({ length: WIDTH }, publishing));
      return () => sendOnce(placeOf(server, id, read), { method: 'GET' });
    },
  };
}

/** The largest description that a registry reads. */
function largest(name: string, make: () => Promise<Sent>, before?: Sent): Attack {
  return {
    name,
    anonymous: false,
    async prepare(server) {
      const id = await newProject(server);
      if (before) await mustSend(server, id, before);
      return async () => String((await send(server, id, await make())).status);
    },
  };
}

function placeOf({ url }: RepositoryServer, id: number, { path, isOfProject }: Sent): string {
  return `${url}/api/v4/projects/${id}/${isOfProject ? '' : 'packages/'}${path}`;
}

function send(server: RepositoryServer, id: number, sent: Sent): Promise<Response> {
  const { method = 'POST', headers, body } = sent;
  return fetch(placeOf(server, id, sent), {
    method,
    headers: { ...headers, 'PRIVATE-TOKEN': server.token },
    body: (body as BodyInit) ?? null,
  });
}

async function mustSend(server: RepositoryServer, id: number, sent: Sent): Promise<void> {
  const answer = await send(server, id, sent);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${sent.path} answered ${answer.status}: ${text.slice(0, 300)}`);
}

async function newProject(server: RepositoryServer): Promise<number> {
  const name = `registry${randomBytes(4).toString('hex')}`;
  return JSON.parse((await server.ask('projects', { name, visibility: 'public' })).text).id;
}

async function nupkg(version: string, bytes: number, dependencies = 0): Promise<Sent> {
  const all = Array.from({ length: dependencies }, (_, n) => `<dependency id="Package${n}" version="[1.0.0, )"/>`);
  const about = `<id>App</id><version>${version}</version><authors>Ann</authors><description>${noise(bytes)}</description>`;
  const xmlns = 'http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd';
  const nuspec = `<package xmlns="${xmlns}"><metadata>${about}<dependencies>${all.join('')}</dependencies></metadata></package>`;
  const content = await zip({ 'app.nuspec': nuspec });
  return { method: 'PUT', path: 'nuget', body: formWith({}, 'package', file(content, 'package.nupkg')) };
}

async function chart(text: string): Promise<Sent> {
  const content = await tarOf({ 'web/Chart.yaml': `apiVersion: v2\nname: web\n${text}` });
  return { path: 'helm/api/stable/charts', body: formWith({}, 'chart', file(content, 'web.tgz')) };
}

async function gem(version: string, more = ''): Promise<Sent> {
  const metadata = [
    '--- !ruby/object:Gem::Specification',
    'name: app',
    'version: !ruby/object:Gem::Version',
    `  version: ${version}`,
    'platform: ruby',
    'authors:',
    '- Ann',
    'dependencies: []',
    `summary: ${noise(200)}`,
    more,
  ].join('\n');
  const body = await tarOf({ 'metadata.gz': gzipSync(metadata), 'data.tar.gz': gzipSync('data') }, false);
  return { path: 'rubygems/api/v1/gems', headers: { 'Content-Type': 'application/octet-stream' }, body };
}

function composer(): string {
  return JSON.stringify({ name: 'acme/app', description: noise(3 * KB), require: { php: '>=8.1' } });
}

async function deb(version: string, bytes: number): Promise<Sent> {
  const description = Array.from({ length: bytes / 64 }, () => ` ${noise(62)}`).join('\n');
  const body = await debOf({ Version: version, Description: `says hello\n${description}` });
  return { method: 'PUT', path: `debian/app_${version}_amd64.deb?distribution=bookworm&component=main`, body };
}
