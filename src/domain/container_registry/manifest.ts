import { createHash } from 'node:crypto';
import { parseJson, UnusableJson } from '#src/base/json.ts';
import { RegistryError } from '#src/domain/container_registry/errors.ts';
import { isDigest } from '#src/domain/container_registry/names.ts';

/** Bytes of the largest manifest. */
export const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
/** How many layers, or manifests, one lists at most. */
const MAX_LISTED_ENTRIES = 1_000;
/** Bytes of annotations that lists of referrers repeat; of larger ones the manifest itself tells. */
const MAX_ANNOTATION_BYTES = 64 * 1024;
/** Characters of the longest media type. */
const MAX_MEDIA_TYPE_LENGTH = 255;

export const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';
const IMAGES = ['application/vnd.oci.image.manifest.v1+json', 'application/vnd.docker.distribution.manifest.v2+json'];
const INDEXES = [OCI_INDEX, 'application/vnd.docker.distribution.manifest.list.v2+json'];

/** The types of manifests that are read. */
export const MANIFEST_TYPES: readonly string[] = [...IMAGES, ...INDEXES];

/** A reference to a blob or manifest. */
export interface Descriptor {
  digest: string;
  /** In bytes. */
  size: number;
}

/** What the registry reads in a manifest. */
export interface ParsedManifest {
  digest: string;
  mediaType: string;
  artifactType: string | null;
  configDigest: string | null;
  /** The configuration and the layers, each once; none of an index. */
  blobs: Descriptor[];
  /** What an index lists, each once. */
  manifests: Descriptor[];
  subjectDigest: string | null;
  annotations: Record<string, string> | null;
}

/**
 * Reads a manifest of an image, or an index, of OCI or Docker.
 *
 * @param type of the content, as the client says
 * @throws RegistryError for anything that is not one
 */
export function parseManifest(content: Buffer, type: string): ParsedManifest {
  if (content.length > MAX_MANIFEST_BYTES) {
    throw new RegistryError('TOO_LARGE', `A manifest has at most ${MAX_MANIFEST_BYTES} bytes`);
  }
  const manifest = read(content);
  const mediaType = typeOf(manifest, type);
  const annotations = annotationsIn(manifest.annotations);
  const common = {
    digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
    mediaType,
    subjectDigest: manifest.subject === undefined ? null : descriptorIn(manifest.subject, 'subject').digest,
    annotations,
  };
  const artifactType = manifest.artifactType === undefined ? null : mediaTypeIn(manifest.artifactType, 'artifactType');
  if (INDEXES.includes(mediaType)) {
    const manifests = once(listIn(manifest.manifests, 'manifests').map((one) => descriptorIn(one, 'manifests')));
    return { ...common, artifactType, configDigest: null, blobs: [], manifests };
  }
  const config = descriptorIn(manifest.config, 'config');
  const { mediaType: configType } = manifest.config as { mediaType?: unknown };
  const layers = listIn(manifest.layers, 'layers').filter((layer) => !isElsewhere(layer));
  return {
    ...common,
    artifactType: artifactType ?? (configType === undefined ? null : mediaTypeIn(configType, 'config')),
    configDigest: config.digest,
    blobs: once([config, ...layers.map((layer) => descriptorIn(layer, 'layers'))]),
    manifests: [],
  };
}

type Fields = Record<string, unknown>;

function invalid(message: string): RegistryError {
  return new RegistryError('MANIFEST_INVALID', message);
}

function read(content: Buffer): Fields {
  const manifest = parsed(content);
  if (!isFields(manifest)) throw invalid('The manifest is no object');
  if (manifest.schemaVersion !== 2) throw invalid('schemaVersion must be 2');
  return manifest;
}

function parsed(content: Buffer): unknown {
  try {
    return parseJson(content);
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
    if (error.tooLarge) throw new RegistryError('TOO_LARGE', error.message.replace('The body', 'The manifest'));
    throw invalid('The manifest is no JSON');
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The type that the client and the manifest say, which must be the same. */
function typeOf({ mediaType, layers, manifests }: Fields, type: string): string {
  const given = type.split(';')[0]?.trim() ?? '';
  if (mediaType !== undefined && mediaType !== given) throw invalid('mediaType is not the Content-Type');
  if (!IMAGES.includes(given) && !INDEXES.includes(given)) throw invalid('This type of manifest is not supported');
  if (layers !== undefined && manifests !== undefined) throw invalid('A manifest has either layers or manifests');
  return given;
}

function listIn(value: unknown, field: string): unknown[] {
  if (!Array.isArray(value)) throw invalid(`${field} must be a list`);
  if (value.length > MAX_LISTED_ENTRIES) throw invalid(`${field} has more than ${MAX_LISTED_ENTRIES} entries`);
  return value;
}

function descriptorIn(value: unknown, field: string): Descriptor {
  const { digest, size } = isFields(value) ? value : {};
  if (!isDigest(digest)) throw invalid(`${field} has a digest that is not supported`);
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw invalid(`${field} has no size`);
  return { digest, size };
}

function mediaTypeIn(value: unknown, field: string): string {
  if (typeof value === 'string' && value.length <= MAX_MEDIA_TYPE_LENGTH && /^[\x21-\x7e]*$/.test(value)) return value;
  throw invalid(`${field} has a media type that is not well-formed`);
}

/** Whether clients get a layer from elsewhere, such as those of Windows, so that it is not sent here. */
function isElsewhere(layer: unknown): boolean {
  const { mediaType, urls } = isFields(layer) ? layer : {};
  const isForeign = typeof mediaType === 'string' && /foreign|nondistributable/.test(mediaType);
  return isForeign && Array.isArray(urls) && urls.length > 0;
}

function annotationsIn(value: unknown): Record<string, string> | null {
  if (value === undefined || value === null) return null;
  if (!isFields(value) || !Object.values(value).every((text) => typeof text === 'string')) {
    throw invalid('annotations must be texts');
  }
  const text = JSON.stringify(value);
  // PostgreSQL stores no NUL.
  if (Buffer.byteLength(text) > MAX_ANNOTATION_BYTES || text.includes('\\u0000') || !text.isWellFormed()) return null;
  return value as Record<string, string>;
}

function once(descriptors: readonly Descriptor[]): Descriptor[] {
  const byDigest = new Map(descriptors.map((one) => [one.digest, one]));
  if (descriptors.some(({ digest, size }) => byDigest.get(digest)?.size !== size)) {
    throw invalid('One digest has two sizes');
  }
  return [...byDigest.values()];
}
