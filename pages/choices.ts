import { text } from '#pages/engine/fields.ts';
import { local, path } from '#pages/engine/helpers.ts';
import { type Facts, json } from '#pages/engine/row.ts';
import { PLACES } from '#pages/place.ts';
import {
  ChoicesDocument,
  type ChoicesQuery,
  GroupChoicesDocument,
  type GroupChoicesQuery,
  PaletteDocument,
  type PaletteQuery,
  UserChoicesDocument,
} from '#src/generated/page_operations.ts';

/** What can be chosen: what is put into the field, what is shown, and what tells it from others. */
interface Choice {
  value: string;
  label: string;
  about?: string;
  color?: string;
}

/** Characters that are looked for. */
const MAX_LENGTH = 100;

/** What a picker asks for, by the word in its address. */
const KINDS: Record<string, 'users' | 'labels' | 'milestones'> = {
  user: 'users',
  label: 'labels',
  milestone: 'milestones',
};

const wanted = (given: Facts['given']) => text(given.text).trim().slice(0, MAX_LENGTH);

function variables(given: Facts['given']): Facts['given'] {
  const kind = Object.hasOwn(KINDS, text(given.kind)) ? KINDS[text(given.kind)] : undefined;
  const { project, group } = given;
  return { project, group, text: wanted(given), ...(kind && { [kind]: 'true' }) };
}

const person = ({ username, name }: { username: string; name: string }): Choice => ({
  value: username,
  label: name,
  about: `@${username}`,
});

type Place = NonNullable<ChoicesQuery['place'] | GroupChoicesQuery['place']>;

function choicesOf(place: Place): Choice[] {
  const people = 'members' in place ? place.members : 'users' in place ? place.users : undefined;
  return [
    ...(people?.nodes ?? []).map(person),
    ...(place.labels?.nodes ?? []).map(({ title, color }) => ({ value: title, label: title, color })),
    ...(place.milestones?.nodes ?? []).map(({ title }) => ({ value: title, label: title })),
  ];
}

/** An entry of the palette: where it leads, what it is called, and what it is. */
interface Entry {
  path: string;
  label: string;
  about: string;
  icon: string;
}

type InProject = NonNullable<PaletteQuery['project']>;
type Subject = NonNullable<InProject['issues']>['nodes'][number];

/** The number that somebody looks for. */
const NUMBER = /^[#!]?(\d{1,9})$/;

/** Full path of the project whose page the palette was opened on. */
const PROJECT = /^[\w.-]+(?:\/[\w.-]+)+$/;

function projectEntries(project: InProject, { t }: Facts): Entry[] {
  const base = `${path(project.fullPath)}/-`;
  const has = (feature: InProject['viewerFeatures'][number]) => project.viewerFeatures.includes(feature);
  const code = project.viewerCanReadRepository;
  const about = project.name;
  const all: [isThere: boolean, entry: Omit<Entry, 'about'>][] = [
    [project.viewerCanCreateIssue, { path: `${base}/issues/new`, label: t('New issue'), icon: 'plus' }],
    [
      project.viewerCanCreateMergeRequest,
      { path: `${base}/merge_requests/new`, label: t('New merge request'), icon: 'plus' },
    ],
    [code, { path: path(project.fullPath), label: t('Code'), icon: 'code' }],
    [has('ISSUES'), { path: `${base}/issues`, label: t('Issues'), icon: 'issue-opened' }],
    [has('ISSUES'), { path: `${base}/boards`, label: t('Boards'), icon: 'project' }],
    [
      code && has('MERGE_REQUESTS'),
      { path: `${base}/merge_requests`, label: t('Merge requests'), icon: 'git-pull-request' },
    ],
    [code && has('JOBS'), { path: `${base}/pipelines`, label: t('Pipelines'), icon: 'workflow' }],
    [code, { path: `${base}/branches`, label: t('Branches'), icon: 'git-branch' }],
    [code, { path: `${base}/tags`, label: t('Tags'), icon: 'tag' }],
    [code, { path: `${base}/releases`, label: t('Releases'), icon: 'rocket' }],
    [project.viewerCanUpdate, { path: `${base}/settings/general`, label: t('Settings'), icon: 'gear' }],
  ];
  return all.flatMap(([isThere, entry]) => (isThere ? [{ ...entry, about }] : []));
}

function ownEntries({ username, t }: Facts): Entry[] {
  const explore = { path: '/explore', label: t('Explore'), about: '', icon: 'globe' };
  if (username === null) return [explore];
  return [
    { path: '/', label: t('Start'), about: '', icon: 'home' },
    { path: '/dashboard/todos', label: t('To-dos'), about: '', icon: 'checklist' },
    { path: '/dashboard/issues', label: t('Your issues'), about: '', icon: 'issue-opened' },
    { path: '/dashboard/merge_requests', label: t('Your merge requests'), about: '', icon: 'git-pull-request' },
    { path: '/projects/new', label: t('New project'), about: '', icon: 'plus' },
    { path: '/groups/new', label: t('New group'), about: '', icon: 'plus' },
    explore,
    { path: '/profile', label: t('Settings'), about: `@${username}`, icon: 'gear' },
    { path: '/help', label: t('Help'), about: '', icon: 'book' },
  ];
}

const subjectEntry =
  (mark: '#' | '!') =>
  ({ iid, title, webUrl, project }: Subject): Entry => ({
    path: local(webUrl),
    label: title,
    about: `${project.fullPath}${mark}${iid}`,
    icon: mark === '#' ? 'issue-opened' : 'git-pull-request',
  });

const projectEntry = ({ fullPath, name }: { fullPath: string; name: string }): Entry => ({
  path: path(fullPath),
  label: name,
  about: fullPath,
  icon: 'repo',
});

/** What the palette shows: what has the number, pages and what can be done by their names, and what is found. */
function entriesOf(data: PaletteQuery, facts: Facts): Entry[] {
  const words = wanted(facts.given).toLowerCase();
  const { find, recent, project } = data;
  const pages = [...(project ? projectEntries(project, facts) : []), ...ownEntries(facts)];
  const named = words === '' ? pages : pages.filter((entry) => entry.label.toLowerCase().includes(words));
  const found = [
    ...(project?.issues?.nodes ?? []).map(subjectEntry('#')),
    ...(project?.mergeRequests?.nodes ?? []).map(subjectEntry('!')),
    ...named.slice(0, words === '' ? pages.length : 5),
    ...(recent?.nodes ?? []).map(projectEntry),
    ...(find?.projects.nodes ?? []).map(projectEntry),
    ...(find?.issues.nodes ?? []).map(subjectEntry('#')),
    ...(find?.mergeRequests.nodes ?? []).map(subjectEntry('!')),
    ...(find?.users.nodes ?? []).map(({ name, username }) => ({
      path: path(username),
      label: name,
      about: `@${username}`,
      icon: 'person',
    })),
  ];
  return [...new Map(found.map((entry) => [entry.path, entry])).values()];
}

const userChoices = json({
  path: '/-/choices',
  operation: UserChoicesDocument,
  variables: (given, { username }) => {
    const searched = wanted(given);
    return { text: searched, ...(username !== null && searched !== '' && { hasText: 'true' }) };
  },
  found: (data) => data,
  answer: ({ users }) => (users?.nodes ?? []).map(person),
});

/** What pickers, the filters of lists and the palette ask for (`scripts/choices.js`). */
export const choices = [
  json({
    path: `${PLACES.group}/choices`,
    operation: GroupChoicesDocument,
    variables,
    found: ({ place }) => place,
    answer: choicesOf,
  }),
  json({
    path: `${PLACES.project}/choices`,
    operation: ChoicesDocument,
    variables,
    found: ({ place }) => place,
    answer: choicesOf,
  }),
  userChoices,
  json({
    path: '/-/palette',
    operation: PaletteDocument,
    variables: (given, { username }) => {
      const searched = wanted(given);
      const [, number] = NUMBER.exec(searched) ?? [];
      const project = PROJECT.test(text(given.project)) ? text(given.project) : null;
      return {
        text: searched,
        ...(searched.length > 1 && number === undefined && { seeks: 'true' }),
        ...(searched === '' && username !== null && { recent: 'true' }),
        ...(project !== null && { project, inProject: 'true' }),
        ...(project !== null && number !== undefined && { number, seeksNumber: 'true' }),
      };
    },
    found: (data) => data,
    answer: entriesOf,
  }),
];
