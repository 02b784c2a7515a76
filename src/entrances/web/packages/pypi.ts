import { xml } from '#pages/engine/atom.ts';
import { normalizedName, PYTHON_TEXTS, pythonPublication } from '#src/domain/packages/publications/pypi.ts';
import { recordPackage } from '#src/domain/packages/publish.ts';
import type { StoredContent } from '#src/domain/packages/receive.ts';
import { findFileIn, type ListedVersion, listNames, versionsOf } from '#src/domain/packages/versions.ts';
import {
  type Answer,
  type Call,
  field,
  nothing,
  placesIn,
  type RegistryRoute,
  sendFile,
  storeFile,
} from '#src/entrances/web/packages/call.ts';
import { BadRequest, NotFound } from '#src/platform/errors.ts';

const READS = { method: 'GET', at: ['project', 'group'], purpose: 'read_package', ability: 'read_package' } as const;

/** The registry of PyPI: uploads as of Warehouse's legacy API, and the simple API (PEP 503, PEP 691). */
export const PYPI: readonly RegistryRoute[] = [
  {
    ...{
      method: 'POST',
      at: ['project'],
      path: '/packages/pypi',
      purpose: 'write_package',
      ability: 'publish_package',
    },
    body: { form: 'content' },
    answer: upload,
  },
  { ...READS, path: '/packages/pypi/simple', answer: sendNames },
  { ...READS, path: '/packages/pypi/simple/:name', answer: sendIndex },
  { ...READS, path: '/packages/pypi/files/:sha256/:file', answer: sendContent },
];

/** What programs look for in the answer for a file that is there already. */
const TAKEN = '400 Bad request - File name has already been taken';

async function upload(call: Call): Promise<Answer> {
  const given = { action: field(call, ':action'), name: field(call, 'name'), version: field(call, 'version') };
  if (given.action !== undefined && given.action !== 'file_upload') throw new BadRequest(':action must be file_upload');
  const { name, version } = given;
  if (!name) throw new BadRequest('name is missing', 'name');
  if (!version) throw new BadRequest('version is missing', 'version');
  const texts = PYTHON_TEXTS.flatMap((key) => {
    const text = field(call, key);
    return text ? [[key, text] as const] : [];
  });
  const requiresPython = field(call, 'requires_python');
  const facts = { name, version, requiresPython, texts: Object.fromEntries(texts) };
  await storeFile(call, 'content', async (by, stored) => {
    const publication = pythonPublication(facts, stored.name, TAKEN);
    requireDigests(call, stored);
    await recordPackage(call.context, by, publication, stored);
  });
  return nothing(201);
}

function requireDigests(call: Call, { checksums }: StoredContent): void {
  const digests = { sha256_digest: checksums.sha256, md5_digest: checksums.md5 };
  for (const [name, digest] of Object.entries(digests)) {
    const given = field(call, name);
    if (given && given.toLowerCase() !== digest) throw new BadRequest(`${name} does not match the file`, name);
  }
}

const JSON_TYPE = 'application/vnd.pypi.simple.v1+json';
const HTML_TYPE = 'application/vnd.pypi.simple.v1+html';

/** Answers in the form that the client wants. */
function document({ request }: Call, title: string, links: string[], record: object): Answer {
  const type = request.accepts(['text/html', HTML_TYPE, JSON_TYPE]);
  const headers = { Vary: 'Accept' };
  const meta = { 'api-version': '1.1' };
  if (type === JSON_TYPE) return { headers, type, text: JSON.stringify({ meta, ...record }) };
  const head = `<meta name="pypi:repository-version" content="1.1"><title>${xml(title)}</title>`;
  const text = `<!DOCTYPE html>\n<html><head>${head}</head>\n<body><h1>${xml(title)}</h1>\n${links.join('\n')}\n</body></html>\n`;
  return { headers, type: type === HTML_TYPE ? HTML_TYPE : 'text/html; charset=utf-8', text };
}

async function sendNames(call: Call): Promise<Answer> {
  const names = await listNames(call.context, await placesIn(call), 'pypi');
  const links = names.map((name) => `<a href="${call.base}/packages/pypi/simple/${name}/">${name}</a><br>`);
  return document(call, 'Simple index', links, { projects: names.map((name) => ({ name })) });
}

async function sendIndex(call: Call): Promise<Answer> {
  const name = normalizedName(call.params.name ?? '');
  const versions = await versionsOf(call.context, await placesIn(call), { type: 'pypi', name });
  const files = filesOf(call, versions);
  const links = files.map(({ filename, url, hashes, 'requires-python': requires }) => {
    const needs = requires === undefined ? '' : ` data-requires-python="${xml(requires)}"`;
    return `<a href="${xml(`${url}#sha256=${hashes.sha256}`)}"${needs}>${xml(filename)}</a><br>`;
  });
  const list = [...new Set(versions.map(({ version }) => version))];
  return document(call, `Links for ${name}`, links, { name, versions: list.toReversed(), files });
}

/** The files of versions, oldest first; of a file that several projects have, the one that was published last. */
function filesOf({ api }: Call, versions: readonly ListedVersion[]) {
  const found = versions.flatMap(({ projectId, files }) =>
    files.map(({ fileName: filename, sha256, size, details, createdAt }) => ({
      ...{ filename, size, hashes: { sha256 } },
      'upload-time': new Date(createdAt).toISOString(),
      url: `${api}/projects/${projectId}/packages/pypi/files/${sha256}/${encodeURIComponent(filename)}`,
      ...(typeof details?.requires_python === 'string' && { 'requires-python': details.requires_python }),
    })),
  );
  const seen = new Set<string>();
  return found.filter(({ filename }) => !seen.has(filename) && seen.add(filename)).toReversed();
}

async function sendContent(call: Call): Promise<Answer> {
  const { sha256, file: fileName = '' } = call.params;
  const found = await findFileIn(call.context, await placesIn(call), { type: 'pypi', fileName });
  if (found.sha256 !== sha256) throw new NotFound('PackageFile');
  return sendFile(call, found);
}
