import { DEVELOPER, GUEST, MASTER, OWNER, REPORTER, type Visibility } from '#src/access/permissions/abilities.ts';
import { createGroup, type NewGroup } from '#src/domain/groups/create.ts';
import { createProject, type NewProject } from '#src/domain/lifecycle/create_project.ts';
import { forkProject } from '#src/domain/lifecycle/fork_project.ts';
import { requestAccess } from '#src/domain/members/access_requests/create.ts';
import { addMember } from '#src/domain/members/add.ts';
import { archiveProject } from '#src/domain/projects/archive.ts';
import { shareProject } from '#src/domain/projects/share.ts';
import { starProject } from '#src/domain/projects/star.ts';
import type { Scene } from '#src/entrances/seed/stage.ts';

/** The top-level groups. */
export const TOP_GROUPS = ['orchard', 'harbor'];

/** Groups, projects and their members. */
export const placeScenes: readonly Scene[] = [
  group('2025-01-06 09:00', 'ada', 'orchard', {
    name: 'Orchard',
    description: 'Software for people who grow apples.',
    visibility: 'public',
    requestAccessEnabled: true,
  }),
  group('2025-01-06 09:05', 'ada', 'orchard/tools', { name: 'Tools', visibility: 'internal' }),
  group('2025-01-06 09:10', 'ada', 'orchard/tools/ci', { name: 'CI', visibility: 'private' }),
  group('2025-01-06 09:20', 'ben', 'harbor', {
    name: 'Harbor',
    description: 'Books and bills.',
    visibility: 'private',
  }),
  member('2025-01-06 09:30', 'ada', 'group', 'orchard', 'ben', MASTER),
  member('2025-01-06 09:31', 'ada', 'group', 'orchard', 'chloe', DEVELOPER),
  member('2025-01-06 09:32', 'ada', 'group', 'orchard', 'devika', REPORTER),
  member('2025-01-06 09:33', 'ada', 'group', 'orchard', 'emil', GUEST),
  member('2025-01-06 09:34', 'ada', 'group', 'orchard/tools', 'chloe', MASTER),
  member('2025-01-06 09:35', 'ben', 'group', 'harbor', 'ada', DEVELOPER),
  member('2025-01-06 09:36', 'ben', 'group', 'harbor', 'gus', REPORTER, '2099-12-31'),
  member('2025-05-05 10:00', 'ben', 'group', 'harbor', 'chloe', OWNER),
  project('2025-01-06 10:00', 'ada', 'orchard/apples', 'public', {
    name: 'Apples',
    description: 'Grades apples by size, colour and bruises.',
    tagList: ['apples', 'javascript', 'library'],
    switches: { requestAccessEnabled: true },
  }),
  project('2025-01-07 10:00', 'ada', 'orchard/website', 'internal', {
    name: 'Website',
    description: 'The pages at orchard.example.com.',
    tagList: ['html'],
  }),
  project('2025-01-13 10:00', 'chloe', 'orchard/tools/pruner', 'internal', {
    name: 'Pruner',
    description: 'Says which branches of a tree to cut.',
    tagList: ['python'],
  }),
  project('2025-01-20 10:00', 'chloe', 'orchard/tools/ci/images', 'private', {
    name: 'Images',
    description: 'Images that the jobs of the other projects run in.',
    switches: { issuesEnabled: false, snippetsEnabled: false },
  }),
  project('2025-01-27 10:00', 'ben', 'harbor/ledger', 'private', {
    name: 'Ledger',
    description: 'Double-entry bookkeeping.',
    tagList: ['go', 'bookkeeping'],
  }),
  project('2025-02-10 18:00', 'ada', 'ada/dotfiles', 'private', { name: 'dotfiles' }),
  project('2025-01-08 10:00', 'ada', 'orchard/old-apples', 'public', {
    name: 'Old apples',
    description: 'What Apples was before. Nothing happens here any more.',
  }),
  project('2025-06-25 10:00', 'ben', 'harbor/notes', 'private', { name: 'Notes' }),
  {
    at: '2025-03-10 20:00',
    async play(stage) {
      const { id } = await forkProject(await stage.as('fern'), 'orchard/apples', null);
      stage.projects.set('fern/apples', id);
    },
  },
  {
    at: '2025-01-31 17:00',
    play: async (stage) => archiveProject(await stage.as('ada'), 'orchard/old-apples', true),
  },
  {
    at: '2025-04-07 11:00',
    play: async (stage) =>
      shareProject(await stage.as('ada'), 'orchard/website', { group: 'harbor', accessLevel: REPORTER }),
  },
  member('2025-04-08 11:00', 'ada', 'project', 'orchard/apples', 'hugo', DEVELOPER),
  {
    at: '2025-06-02 12:00',
    play: async (stage) => requestAccess(await stage.as('fern'), { kind: 'group', ref: 'orchard' }),
  },
  {
    at: '2025-06-02 12:05',
    play: async (stage) => requestAccess(await stage.as('gus'), { kind: 'project', ref: 'orchard/apples' }),
  },
  star('2025-02-01 12:00', 'ben', 'orchard/apples'),
  star('2025-02-02 12:00', 'chloe', 'orchard/apples'),
  star('2025-03-10 19:55', 'fern', 'orchard/apples'),
  star('2025-03-11 08:00', 'devika', 'orchard/apples'),
  star('2025-03-12 08:00', 'devika', 'orchard/tools/pruner'),
  star('2025-03-13 08:00', 'fern', 'orchard/website'),
];

function group(at: string, by: string, path: string, values: Omit<NewGroup, 'path'>): Scene {
  return {
    at,
    async play(stage) {
      const [own = path, ...above] = path.split('/').reverse();
      const parentId = above.length === 0 ? null : above.reverse().join('/');
      stage.namespaces.set(path, await createGroup(await stage.as(by), { ...values, path: own, parentId }));
    },
  };
}

function project(at: string, by: string, path: string, visibility: Visibility, values: NewProject): Scene {
  return {
    at,
    async play(stage) {
      const slash = path.lastIndexOf('/');
      const place = { namespaceId: path.slice(0, slash), path: path.slice(slash + 1), visibility };
      const { id } = await createProject(await stage.as(by), { ...values, ...place });
      stage.projects.set(path, id);
    },
  };
}

function member(
  at: string,
  by: string,
  kind: 'group' | 'project',
  ref: string,
  username: string,
  accessLevel: number,
  expiresAt?: string,
): Scene {
  return {
    at,
    play: async (stage) =>
      addMember(await stage.as(by), { kind, ref }, { userId: stage.user(username), accessLevel, expiresAt }),
  };
}

function star(at: string, by: string, path: string): Scene {
  return { at, play: async (stage) => starProject(await stage.as(by), path, true) };
}
