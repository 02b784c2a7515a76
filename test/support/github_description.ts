import type { Json } from './http.ts';

/**
 * The fields of answers of GitHub's REST API that imports read, with their types, by the addresses below a repository: from its
 * published description (version 2022-11-28). `?` begins those that may be absent. A line is null, too, where it is gone.
 */
const FIELDS: Description = [
  [
    /^$/,
    {
      id: 'integer',
      full_name: 'string',
      private: 'boolean',
      name: 'string',
      description: 'string|null',
      homepage: 'string|null',
      topics: '?array',
      default_branch: 'string',
      has_issues: 'boolean',
      has_wiki: 'boolean',
      archived: 'boolean',
      delete_branch_on_merge: '?boolean',
    },
  ],
  [/^\/labels$/, { id: 'integer', name: 'string', color: 'string', description: 'string|null' }],
  [
    /^\/milestones$/,
    {
      id: 'integer',
      number: 'integer',
      title: 'string',
      description: 'string|null',
      state: 'string',
      due_on: 'string|null',
      created_at: 'string',
      updated_at: 'string',
    },
  ],
  [
    /^\/(issues|pulls)$/,
    {
      number: 'integer',
      title: 'string',
      body: '?string|null',
      state: 'string',
      user: 'object|null',
      assignees: '?array',
      labels: 'array',
      milestone: 'object|null',
      locked: 'boolean',
      created_at: 'string',
      updated_at: 'string',
      closed_at: 'string|null',
      pull_request: '?object',
    },
  ],
  [
    /^\/pulls$/,
    {
      merged_at: 'string|null',
      merge_commit_sha: 'string|null',
      draft: '?boolean',
      requested_reviewers: '?array',
      head: 'object',
      base: 'object',
    },
  ],
  [
    /^\/(issues|pulls)\/comments$/,
    { id: 'integer', body: '?string', user: 'object|null', created_at: 'string', updated_at: 'string' },
  ],
  [/^\/issues\/comments$/, { issue_url: 'string' }],
  [
    /^\/comments$/,
    {
      ...{ id: 'integer', body: 'string', user: 'object|null', created_at: 'string', updated_at: 'string' },
      ...{ commit_id: 'string', path: 'string|null', line: 'integer|null', position: 'integer|null' },
    },
  ],
  [
    /^\/pulls\/comments$/,
    {
      pull_request_url: 'string',
      path: 'string',
      diff_hunk: 'string',
      commit_id: 'string',
      original_commit_id: 'string',
      side: '?string',
      line: '?integer|null',
      original_line: '?integer|null',
      start_line: '?integer|null',
      original_start_line: '?integer|null',
      subject_type: '?string',
      in_reply_to_id: '?integer',
    },
  ],
  [
    /^\/pulls\/\d+\/reviews$/,
    { id: 'integer', state: 'string', body: 'string', user: 'object|null', submitted_at: '?string' },
  ],
  [
    /^\/issues\/events$/,
    {
      id: 'integer',
      event: 'string',
      actor: 'object|null',
      created_at: 'string',
      issue: '?object|null',
      label: '?object',
    },
  ],
  [
    /^\/releases$/,
    {
      id: 'integer',
      tag_name: 'string',
      name: 'string|null',
      body: '?string|null',
      draft: 'boolean',
      author: 'object',
      created_at: 'string',
      published_at: 'string|null',
      assets: 'array',
    },
  ],
  [/^\/branches$/, { name: 'string', protected: 'boolean' }],
  [/^\/branches\/[^/]+\/protection$/, { allow_force_pushes: '?object', required_pull_request_reviews: '?object' }],
  [/^\/collaborators$/, { id: 'integer', login: 'string', permissions: '?object' }],
  [/^\/hooks$/, { id: 'integer', config: 'object' }],
];

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isSafeInteger(value) ? 'integer' : typeof value;
}

/** What a record at an address has that the description does not allow, in words. */
export function undescribed(address: string, record: Json): string[] {
  return undescribedBy(FIELDS, address, record);
}

/** The fields of records, with their types, by their addresses. */
export type Description = readonly [RegExp, Readonly<Record<string, string>>][];

/** As undescribed, for a description. */
export function undescribedBy(description: Description, address: string, record: Json): string[] {
  const found = description.filter(([pattern]) => pattern.test(address));
  if (found.length === 0) return [`${address} is not described`];
  return found.flatMap(([, fields]) =>
    Object.entries(fields).flatMap(([name, type]) => {
      if (record[name] === undefined) return type.startsWith('?') ? [] : [`${address} lacks ${name}`];
      const isAllowed = type.replace('?', '').split('|').includes(typeOf(record[name]));
      return isAllowed ? [] : [`${address} has ${typeOf(record[name])} as ${name}`];
    }),
  );
}
