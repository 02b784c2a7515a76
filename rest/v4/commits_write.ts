import { mutation } from '#rest/engine/mutation.ts';
import type { Check, Route } from '#rest/engine/route.ts';
import { isBlank, isTrue } from '#rest/engine/variables.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'read_commit';

/** A commit does something, unless it may be empty. */
const actsUnlessEmpty: Check = ({ actions, allow_empty }) =>
  isBlank(actions) && !isTrue(allow_empty) ? [`actions is ${actions === undefined ? 'missing' : 'invalid'}`] : [];

export const commitsWrite: Route[] = [
  {
    method: 'POST',
    path: '/projects/:id/repository/commits',
    operation: operations.CreateCommitDocument,
    result: 'createCommit.commit',
    contents: 'files',
    verbatim: ['actions.content'],
    precheck,
    passUnknownEnum: ['actions.action'],
    exclusive: [['start_branch', 'start_sha']],
    check: actsUnlessEmpty,
  },
  {
    method: 'POST',
    path: '/projects/:id/repository/commits/:sha/cherry_pick',
    ...mutation('CherryPickCommit', 'cherryPickCommit.commit', '...CommitRecord'),
    hidden: ['start_branch'],
    precheck,
    slashes: ['sha'],
    dryRun: 'dry_run',
  },
  {
    method: 'POST',
    path: '/projects/:id/repository/commits/:sha/revert',
    ...mutation('RevertCommit', 'revertCommit.commit', '...CommitRecord'),
    hidden: ['start_branch'],
    precheck,
    slashes: ['sha'],
    dryRun: 'dry_run',
  },
  {
    method: 'PUT',
    path: '/projects/:id/repository/submodules/:submodule',
    ...mutation('UpdateSubmodule', 'updateSubmodule.commit', '...CommitRecord'),
    names: { path: 'submodule', message: 'commit_message' },
    slashes: ['submodule'],
  },
  {
    method: 'POST',
    path: '/projects/:id/repository/changelog',
    ...mutation('AddChangelog', 'addChangelog.commit', 'sha'),
    names: { from_ref: 'from', to_ref: 'to' },
    alsoRefuses: [422],
    status: 200,
    body: {},
  },
  {
    method: 'POST',
    path: '/projects/:id/repository/commits/:sha/comments',
    operation: operations.CreateCommitCommentDocument,
    hidden: ['created_at', 'discussion_id', 'ignore_forbidden', 'position', 'start_discussion'],
    result: 'createCommitComment.comment',
    precheck,
    slashes: ['sha'],
    validationPrefix: 'Failed to save note',
  },
];
