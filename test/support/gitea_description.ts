import { type Description, undescribedBy } from './github_description.ts';
import type { Json } from './http.ts';

const SUBJECT = {
  id: 'integer',
  number: 'integer',
  title: 'string',
  body: 'string',
  state: 'string',
  user: 'object|null',
  assignees: 'array|null',
  labels: 'array',
  milestone: 'object|null',
  is_locked: 'boolean',
  created_at: 'string',
  updated_at: 'string',
  closed_at: 'string|null',
  due_date: 'string|null',
};

/**
 * The fields of answers of Gitea's REST API that imports read, with their types, by the addresses below a repository: from its published
 * description (swagger.v1.json). `?` begins those that may be absent.
 */
const FIELDS: Description = [
  [
    /^$/,
    {
      id: 'integer',
      full_name: 'string',
      name: 'string',
      private: 'boolean',
      internal: 'boolean',
      description: 'string',
      website: 'string',
      default_branch: 'string',
      has_issues: 'boolean',
      has_wiki: 'boolean',
      external_wiki: '?object',
      archived: 'boolean',
      default_delete_branch_after_merge: 'boolean',
      avatar_url: 'string',
    },
  ],
  [/^\/topics$/, { topics: 'array' }],
  [/^\/labels$/, { id: 'integer', name: 'string', color: 'string', description: 'string' }],
  [
    /^\/milestones$/,
    {
      id: 'integer',
      title: 'string',
      description: 'string',
      state: 'string',
      due_on: 'string|null',
      created_at: 'string',
      updated_at: 'string|null',
      closed_at: 'string|null',
    },
  ],
  [/^\/(issues|pulls)$/, SUBJECT],
  [/^\/issues$/, { original_author: 'string', original_author_id: 'integer', assets: '?array', pull_request: '?null' }],
  [
    /^\/pulls$/,
    {
      merged: 'boolean',
      merged_at: 'string|null',
      merge_commit_sha: 'string|null',
      merged_by: 'object|null',
      merge_base: 'string',
      draft: '?boolean',
      requested_reviewers: 'array|null',
      head: 'object',
      base: 'object',
    },
  ],
  [
    /^\/issues\/comments$/,
    {
      id: 'integer',
      body: 'string',
      user: 'object|null',
      original_author: 'string',
      original_author_id: 'integer',
      issue_url: 'string',
      pull_request_url: 'string',
      assets: '?array',
      created_at: 'string',
      updated_at: 'string',
    },
  ],
  [
    /^\/pulls\/\d+\/reviews$/,
    {
      id: 'integer',
      state: 'string',
      body: 'string',
      user: 'object|null',
      dismissed: 'boolean',
      comments_count: 'integer',
      submitted_at: 'string',
    },
  ],
  [
    /^\/pulls\/\d+\/reviews\/\d+\/comments$/,
    {
      id: 'integer',
      body: 'string',
      user: 'object|null',
      resolver: 'object|null',
      pull_request_review_id: 'integer',
      path: 'string',
      commit_id: 'string',
      original_commit_id: 'string',
      diff_hunk: 'string',
      position: 'integer',
      original_position: 'integer',
      created_at: 'string',
      updated_at: 'string',
    },
  ],
  [
    /^\/issues\/\d+\/timeline$/,
    { id: 'integer', type: 'string', body: 'string', user: 'object|null', created_at: 'string', label: '?object|null' },
  ],
  [
    /^\/releases$/,
    {
      id: 'integer',
      tag_name: 'string',
      name: 'string',
      body: 'string',
      draft: 'boolean',
      author: 'object',
      created_at: 'string',
      published_at: 'string',
      assets: 'array',
    },
  ],
  [
    /^\/branch_protections$/,
    {
      branch_name: 'string',
      rule_name: '?string',
      enable_push: 'boolean',
      enable_push_whitelist: 'boolean',
      enable_merge_whitelist: 'boolean',
      enable_force_push: '?boolean',
    },
  ],
  [/^\/collaborators$/, { id: 'integer', login: 'string', full_name: 'string', email: 'string' }],
  [/^\/collaborators\/[^/]+\/permission$/, { permission: 'string', role_name: 'string', user: 'object' }],
  [/^\/hooks$/, { id: 'integer', type: 'string', config: 'object', active: 'boolean' }],
];

/** What a record at an address has that the description does not allow, in words. */
export function undescribed(address: string, record: Json): string[] {
  return undescribedBy(FIELDS, address, record);
}
