import { builder } from '#schema/builder.ts';
import type { Found } from '#schema/node/finders.ts';
import { SHARED } from '#schema/shared_fields.ts';

/** Declares an interface of types; its values have the name of their type as `__typename`. */
function shared(name: string, description: string, types: readonly string[], fields?: readonly string[]) {
  const ref = builder.interfaceRef<Found>(name).implement({ description, resolveType: (found) => found.__typename });
  SHARED.push({ name, types, fields });
  return ref;
}

const SUBJECTS = ['Issue', 'MergeRequest'] as const;

export const Actor = shared('Actor', 'Who can do something under a name of their own: a user or a deploy token.', [
  'User',
  'DeployToken',
]);

export const Noteable = shared('Noteable', 'What comments can be on.', [...SUBJECTS, 'Snippet', 'Commit']);

export const Issuable = shared('Issuable', 'What issues and merge requests have in common.', SUBJECTS);

export const Awardable = shared('Awardable', 'What users can give emoji.', [...SUBJECTS, 'Snippet', 'Note']);

export const Subscribable = shared(
  'Subscribable',
  'What users can subscribe to, to be notified of changes.',
  [...SUBJECTS, 'Label'],
  ['id', 'databaseId', 'viewerSubscribed'],
);

export const Labelable = shared('Labelable', 'What can have labels.', SUBJECTS, [
  'id',
  'databaseId',
  'labels',
  'labelTitles',
  'labelEvents',
  'project',
]);

export const ProjectOrGroup = shared('ProjectOrGroup', 'What projects and groups have in common.', [
  'Project',
  'Group',
]);

export const WebPage = shared(
  'WebPage',
  'What has a page for people.',
  [
    'AccessRequest',
    'Branch',
    'Commit',
    'Comparison',
    'Group',
    'GroupWikiPage',
    'Issue',
    'Job',
    'Member',
    'MergeRequest',
    'Milestone',
    'Note',
    'PersonalNamespace',
    'Pipeline',
    'Project',
    'Snippet',
    'User',
    'WikiPage',
  ],
  ['webUrl', 'webPath'],
);
