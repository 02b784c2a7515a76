import { GraphQLError } from 'graphql';
import { builder } from '#schema/builder.ts';
import type { CommitTime } from '#schema/commit_time.ts';
import { databaseIdOf } from '#schema/node/plugin.ts';
import { refTo } from '#schema/refs.ts';
import type { UserMatch } from '#src/domain/tracking/subjects/filter.ts';
import { signatureTime } from '#src/git/objects/signature.ts';
import type { IncomingFile } from '#src/platform/incoming_file.ts';

builder.scalarType('DateTime', {
  description:
    'A timestamp in ISO 8601, in UTC with milliseconds: `2016-01-04T15:31:51.081Z`. Input may have a UTC offset.',
  serialize: (value) => formatDateTime(value as string | Date),
  parseValue: parseDateTime,
});

builder.scalarType('CommitDateTime', {
  description: 'A timestamp in ISO 8601 with the UTC offset of its author: `2012-09-20T11:50:22.000+03:00`.',
  serialize: (value) => signatureTime(value as CommitTime),
  parseValue: () => {
    throw new GraphQLError('is only read');
  },
});

builder.scalarType('Upload', {
  description: 'A file, sent as described in the GraphQL multipart request specification.',
  serialize: () => {
    throw new GraphQLError('is only written');
  },
  parseValue: (value) => {
    if (value && typeof (value as IncomingFile).stream === 'function') return value as IncomingFile;
    throw new GraphQLError('is not a file');
  },
});

builder.scalarType('Date', {
  description: 'A day: `YYYY-MM-DD`.',
  serialize: (value) => (typeof value === 'string' ? value : (value as Date).toISOString()).slice(0, 10),
  parseValue: parseDate,
});

builder.scalarType('ProjectRef', {
  description:
    'A project by full path, global ID or numeric ID: `"group/project"`, `"UHJvamVjdDo0Mg"`, `42`. Old paths of moved projects work, too.',
  ...refTo('Project'),
});

builder.scalarType('GroupRef', {
  description:
    'A group by full path, global ID or numeric ID: `"group/subgroup"`, `"R3JvdXA6NDI"`, `42`. A string that is a global ID is never taken as a path.',
  ...refTo('Group'),
});

builder.scalarType('NamespaceRef', {
  description:
    'A group, or the personal namespace of a user: by full path (`"group/subgroup"`, `"username"`), by the global ID of the group or user, or by the numeric ID of the namespace.',
  ...refTo('Namespace'),
});

builder.scalarType('UserMatch', {
  description: 'A user by global or numeric ID; `NONE` stands for no user, `ANY` for any user.',
  serialize: (value) => value as string | number,
  parseValue: parseUserMatch,
});

builder.scalarType('Long', {
  description: 'A whole number of up to 64 bits, as a JSON number: sizes in bytes.',
  specifiedByURL: 'https://ibm.github.io/graphql-specs/custom-scalars/long.html',
  serialize: (value) => Number(value),
  parseValue: () => {
    throw new GraphQLError('is only read');
  },
});

builder.scalarType('HTML', {
  description: 'Sanitised HTML, which can be shown as it is.',
  serialize: (value) => value as string,
  parseValue: () => {
    throw new GraphQLError('is only read');
  },
});

builder.scalarType('Sha', {
  description: 'The full hash of an object of git: 40 hexadecimal digits, in lower case.',
  serialize: (value) => value as string,
  parseValue: (value) => {
    if (typeof value === 'string' && /^[0-9a-f]{40}$/i.test(value)) return value.toLowerCase();
    throw new GraphQLError('is not a full hash of 40 hexadecimal digits');
  },
});

builder.scalarType('URL', {
  description: 'An address with its scheme: `https://example.com/page`.',
  specifiedByURL: 'https://url.spec.whatwg.org/',
  serialize: (value) => value as string,
  parseValue: (value) => {
    if (typeof value === 'string' && URL.canParse(value)) return value;
    throw new GraphQLError('is not a URL');
  },
});

/** PostgreSQL's JSON has UTC with as few fractional digits as possible: they are padded to milliseconds. */
function formatDateTime(value: string | Date): string {
  if (typeof value !== 'string' || !value.endsWith('+00:00')) return new Date(value).toISOString();
  const text = value.slice(0, -6);
  return text.length === 19 ? `${text}.000Z` : `${text.padEnd(23, '0')}Z`;
}

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A timestamp; UTC without an offset. */
export function parseDateTime(value: unknown): Date {
  if (typeof value === 'string' && MOMENT.test(value.trim())) {
    const text = value.trim().replace(' ', 'T').replaceAll(' ', '');
    const zoned = /T/i.test(text) && !/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? `${text}Z` : text;
    const date = new Date(zoned);
    if (!Number.isNaN(date.getTime()) && date.getUTCFullYear() >= 1) return date;
  }
  throw new GraphQLError('is not an ISO 8601 date and time');
}

/** Case-insensitive. No user has the ID 0, which also matches no user. */
function parseUserMatch(value: unknown): UserMatch {
  const word = String(value).toLowerCase();
  if (word === 'none' || word === 'any') return word;
  if (typeof value === 'string' || Number.isInteger(value)) {
    try {
      const id = databaseIdOf('User', String(value), '');
      return id === 0 ? 'none' : id;
    } catch {}
  }
  throw new GraphQLError('is neither the ID of a user, nor NONE or ANY');
}

/** A valid date. */
export function parseDate(value: unknown): string {
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)) {
    const date = new Date(`${value}T00:00:00Z`);
    if (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) && value >= '0001') return value;
  }
  throw new GraphQLError('is not a date (YYYY-MM-DD)');
}
