import { compareVersions, isEarly } from '#src/domain/packages/compare_versions.ts';
import { newFileGrant, readFileGrant } from '#src/domain/packages/file_grant.ts';
import { belowPath } from '#src/domain/packages/places.ts';
import { modulePublication } from '#src/domain/packages/publications/terraform_module.ts';
import { recordPackage } from '#src/domain/packages/publish.ts';
import { type ListedVersion, versionsOf } from '#src/domain/packages/versions.ts';
import { fullPathsOf } from '#src/domain/projects/full_paths.ts';
import {
  type Answer,
  type Call,
  json,
  placesIn,
  type RegistryRoute,
  recordBody,
  sendFile,
} from '#src/entrances/web/packages/call.ts';
import { NotFound } from '#src/platform/errors.ts';

const READS = { method: 'GET', purpose: 'read_package', ability: 'read_package' } as const;
const OF_PROJECT = '/packages/terraform/modules/:name/:system';
const SERVER = { ...READS, at: ['server'] } as const;
const MODULE = '/packages/terraform/modules/v1/:namespace/:name/:system';
const TYPE = { type: 'terraform_module' } as const;

/** The registry protocol of modules, and modules of a project as archives. */
export const TERRAFORM_MODULES: readonly RegistryRoute[] = [
  {
    ...{ method: 'PUT', at: ['project'], path: `${OF_PROJECT}/:version/file` },
    ...{ purpose: 'write_package', ability: 'publish_package', body: { file: 'module.tgz' }, answer: upload },
  },
  { ...READS, at: ['project'], path: OF_PROJECT, answer: sendArchive },
  { ...READS, at: ['project'], path: `${OF_PROJECT}/:version`, answer: sendArchive },
  { ...SERVER, path: `${MODULE}/versions`, answer: sendVersions },
  { ...SERVER, path: `${MODULE}/download`, answer: redirectToNewest },
  { ...SERVER, path: `${MODULE}/:version/download`, answer: sendLocation },
  { ...SERVER, path: `${MODULE}/:version/file`, answer: sendGranted },
  { ...SERVER, path: MODULE, answer: sendModule },
  { ...SERVER, path: `${MODULE}/:version`, answer: sendModule },
];

/** Where programs find the registry, as the path of their file for that says. */
export const TERRAFORM_SERVICES = { 'modules.v1': '/api/v4/packages/terraform/modules/v1/' };

const nameIn = ({ params: { name, system } }: Call) => `${name}/${system}`;

async function upload(call: Call): Promise<Answer> {
  const publication = modulePublication({ name: nameIn(call), version: call.params.version ?? '' });
  await recordBody(call, (by, stored) => recordPackage(call.context, by, publication, stored));
  return json({ message: '201 Created' }, 201);
}

/** The versions of the module that are asked for, the newest first. Throws NotFound. */
async function versionsIn(call: Call): Promise<ListedVersion[]> {
  const { namespace } = call.params;
  const places = namespace === undefined ? await placesIn(call) : belowPath(call.context, namespace);
  const found = await versionsOf(call.context, places, { ...TYPE, name: nameIn(call) });
  const newest = new Map(found.toReversed().map((version) => [version.version, version]));
  return [...newest.values()].sort((one, other) => compareVersions(other.version, one.version));
}

/** The version that is asked for; the newest release if none is. Throws NotFound. */
function chosen({ params: { version } }: Call, versions: readonly ListedVersion[]): ListedVersion {
  const newest = versions.find((one) => !isEarly(one.version)) ?? versions[0];
  const found = version === undefined ? newest : versions.find((one) => one.version === version);
  if (!found) throw new NotFound('PackageFile');
  return found;
}

function fileOf({ files }: ListedVersion): { id: number } {
  const file = files.at(-1);
  if (!file) throw new NotFound('PackageFile');
  return file;
}

async function sendArchive(call: Call): Promise<Answer> {
  const version = chosen(call, await versionsIn(call));
  if (!call.query.has('terraform-get')) return sendFile(call, fileOf(version), 'application/gzip');
  return { status: 204, headers: { 'X-Terraform-Get': granted(call, fileOf(version)) } };
}

/** An address at which the archive is downloaded without a token: `terraform` sends it to registries alone. */
function granted({ api, context }: Call, { id }: { id: number }): string {
  const token = newFileGrant(id, context.secret);
  return `${api}/packages/terraform/modules/v1/-/-/-/-/file?token=${token}&archive=tgz`;
}

async function sendVersions(call: Call): Promise<Answer> {
  const versions = await versionsIn(call);
  const { system: name } = call.params;
  const root = { dependencies: [], providers: [{ name, version: '' }] };
  const list = versions.map(({ version }) => ({ version, submodules: [], root }));
  return json({ modules: [{ versions: list, source: await sourceOf(call, versions[0]) }] });
}

async function sourceOf({ api, context }: Call, version: ListedVersion | undefined): Promise<string> {
  const paths = await fullPathsOf(context, version ? [version.projectId] : []);
  return api.replace(/api\/v4$/, paths.get(version?.projectId ?? 0) ?? '');
}

async function sendModule(call: Call): Promise<Answer> {
  const versions = await versionsIn(call);
  const version = chosen(call, versions);
  const { system: provider } = call.params;
  const about = { name: nameIn(call), provider, providers: [provider], root: { dependencies: [] }, submodules: [] };
  const source = await sourceOf(call, version);
  return json({ ...about, source, version: version.version, versions: versions.map((one) => one.version) });
}

async function redirectToNewest(call: Call): Promise<Answer> {
  const { version } = chosen(call, await versionsIn(call));
  const { namespace = '', name = '', system = '' } = call.params;
  const path = [namespace, name, system, version].map(encodeURIComponent).join('/');
  return { status: 302, headers: { Location: `${call.api}/packages/terraform/modules/v1/${path}/download` } };
}

async function sendLocation(call: Call): Promise<Answer> {
  const version = chosen(call, await versionsIn(call));
  return { status: 204, headers: { 'X-Terraform-Get': granted(call, fileOf(version)) } };
}

async function sendGranted(call: Call): Promise<Answer> {
  const token = call.query.get('token');
  const id = token === null ? null : readFileGrant(token, call.context.secret);
  if (token !== null && id === null) throw new NotFound('PackageFile');
  return sendFile(call, id === null ? fileOf(chosen(call, await versionsIn(call))) : { id }, 'application/gzip');
}
