import type { Endpoint } from '#rest/engine/compile.ts';
import type { RawReader, Route } from '#rest/engine/route.ts';
import type { Json } from '#rest/openapi/components.ts';

/** What each reader sends, and whether it knows the size of the content, so that it supports ranges. */
const READERS: Record<
  RawReader,
  { types: readonly string[]; hasSize: boolean; hasETag: boolean; description: string }
> = {
  blob: {
    types: ['text/plain', 'application/octet-stream'],
    hasSize: true,
    hasETag: true,
    description: 'The raw content, as plain text if it is text.',
  },
  snippet: { types: ['text/plain'], hasSize: true, hasETag: false, description: 'The text of the snippet.' },
  text: { types: ['text/plain'], hasSize: true, hasETag: false, description: 'The text.' },
  trace: { types: ['text/plain'], hasSize: true, hasETag: false, description: 'The log of the job so far.' },
  artifacts: {
    types: ['application/octet-stream'],
    hasSize: true,
    hasETag: true,
    description: 'The artifacts as a zip archive.',
  },
  artifact: {
    types: ['application/octet-stream'],
    hasSize: true,
    hasETag: true,
    description: 'The file, unpacked.',
  },
  package: {
    types: ['application/octet-stream'],
    hasSize: true,
    hasETag: true,
    description: 'The file, with its SHA-256 in the header `X-Checksum-SHA256`.',
  },
  upload: {
    types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/octet-stream'],
    hasSize: true,
    hasETag: true,
    description: 'The file; of a picture with its type.',
  },
  project_avatar: {
    types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    hasSize: true,
    hasETag: true,
    description: 'The picture.',
  },
  group_avatar: {
    types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    hasSize: true,
    hasETag: true,
    description: 'The picture.',
  },
  project_export: {
    types: ['application/gzip'],
    hasSize: true,
    hasETag: true,
    description: 'The archive of the project, a tar archive that is compressed by gzip.',
  },
  group_export: {
    types: ['application/gzip'],
    hasSize: true,
    hasETag: true,
    description: 'The archive of the group, a tar archive that is compressed by gzip.',
  },
  placeholder_table: {
    types: ['text/csv'],
    hasSize: true,
    hasETag: true,
    description: 'The table, whose first row names the columns.',
  },
  archive: {
    types: ['application/octet-stream'],
    hasSize: false,
    hasETag: false,
    description: 'The archive.',
  },
};

/** The responses of an operation that sends content: the whole, and a range if supported. */
export function rawResponses({ route }: Endpoint): Record<string, Json> {
  if (!route.raw) return {};
  const { types, hasSize, hasETag, description } = READERS[route.raw];
  const content = Object.fromEntries(types.map((type) => [type, { schema: BYTES }]));
  const headers = {
    'Content-Disposition': { description: 'The suggested name of the file.', schema: { type: 'string' } },
    ...(hasETag ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
    ...(hasSize
      ? {
          'Content-Length': { description: 'Size of the content in bytes.', schema: { type: 'integer' } },
          'Accept-Ranges': {
            description: 'Ranges of the content can be requested.',
            schema: { type: 'string', const: 'bytes' },
          },
        }
      : {}),
  };
  const range = {
    'Content-Range': { description: 'The range of this part: `bytes 0-99/1234`.', schema: { type: 'string' } },
  };
  return {
    200: { description, headers, content },
    ...(hasSize
      ? {
          206: {
            description: 'The range that was requested.',
            headers: { ...headers, ...range },
            content,
          },
        }
      : {}),
  };
}

/** Whether the route supports the header `Range`. */
export function hasParts({ raw }: Route): boolean {
  return raw !== undefined && READERS[raw].hasSize;
}

/** Whether a read has an ETag: JSON always has. */
export function hasETag({ raw }: Route): boolean {
  return raw === undefined || READERS[raw].hasETag;
}

export const BYTES = { type: 'string', format: 'binary' };
