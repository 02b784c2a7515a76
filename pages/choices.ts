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
const KINDS: Record<string, 'users' | 'labels' | 'milestones' | 'branches' | 'tags'> = {
  user: 'users',
  label: 'labels',
  milestone: 'milestones',
  branch: 'branches',
  tag: 'tags',
};

/** What a picker asks for of the whole server, besides people. */
const KINDS_ANYWHERE: Record<string, 'projects' | 'groups' | 'namespaces'> = {
  project: 'projects',
  group: 'groups',
  namespace: 'namespaces',
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

const named = ({ name }: { name: string }): Choice => ({ value: name, label: name });

const placeOf = ({ fullPath, name }: { fullPath: string; name: string }): Choice => ({
  value: fullPath,
  label: name,
  about: fullPath,
});

type Place = NonNullable<ChoicesQuery['place'] | GroupChoicesQuery['place']>;

function choicesOf(place: Place): Choice[] {
  const people = 'members' in place ? place.members : 'users' in place ? place.users : undefined;
  return [
    ...(people?.nodes ?? []).map(person),
    ...(place.labels?.nodes ?? []).map(({ title, color }) => ({ value: title, label: title, color })),
    ...(place.milestones?.nodes ?? []).map(({ title }) => ({ value: title, label: title })),
    ...('repository' in place ? (place.repository?.branches?.nodes ?? []) : []).map(named),
    ...('tagged' in place ? (place.tagged?.tags?.nodes ?? []) : []).map(named),
  ];
}

/** An entry of the palette: where it leads, what it is called, what it is, and the heading that it stands below. */
interface Entry {
  group: string;
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

type Unplaced = Omit<Entry, 'group'>;

/** What can be done from anywhere, and in the project whose page is open. */
function actions(project: InProject | null | undefined, { username, t }: Facts): Unplaced[] {
  const base = project ? `${path(project.fullPath)}/-` : '';
  const about = project?.name ?? '';
  const all: [isThere: boolean | undefined, entry: Unplaced][] = [
    [project?.viewerCanCreateIssue, { path: `${base}/issues/new`, label: t('New issue'), about, icon: 'plus' }],
    [
      project?.viewerCanCreateMergeRequest,
      { path: `${base}/merge_requests/new`, label: t('New merge request'), about, icon: 'plus' },
    ],
    [username !== null, { path: '/projects/new', label: t('New project'), about: '', icon: 'plus' }],
    [username !== null, { path: '/groups/new', label: t('New group'), about: '', icon: 'plus' }],
  ];
  return all.flatMap(([isThere, entry]) => (isThere ? [entry] : []));
}

function projectPages(project: InProject, { t }: Facts): Unplaced[] {
  const base = `${path(project.fullPath)}/-`;
  const has = (feature: InProject['viewerFeatures'][number]) => project.viewerFeatures.includes(feature);
  const code = project.viewerCanReadRepository;
  const all: [isThere: boolean, entry: Omit<Unplaced, 'about'>][] = [
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
  return all.flatMap(([isThere, entry]) => (isThere ? [{ ...entry, about: '' }] : []));
}

function ownPages({ username, t }: Facts): Unplaced[] {
  const explore = { path: '/explore', label: t('Explore'), about: '', icon: 'globe' };
  if (username === null) return [explore];
  return [
    { path: '/', label: t('Start'), about: '', icon: 'home' },
    { path: '/dashboard/todos', label: t('To-dos'), about: '', icon: 'checklist' },
    { path: '/dashboard/issues', label: t('Your issues'), about: '', icon: 'issue-opened' },
    { path: '/dashboard/merge_requests', label: t('Your merge requests'), about: '', icon: 'git-pull-request' },
    explore,
    { path: '/profile', label: t('Settings'), about: `@${username}`, icon: 'gear' },
    { path: '/help', label: t('Help'), about: '', icon: 'book' },
  ];
}

const subjectEntry =
  (mark: '#' | '!') =>
  ({ iid, title, webUrl, project }: Subject): Unplaced => ({
    path: local(webUrl),
    label: title,
    about: `${project.fullPath}${mark}${iid}`,
    icon: mark === '#' ? 'issue-opened' : 'git-pull-request',
  });

const projectEntry = ({ fullPath, name }: { fullPath: string; name: string }): Unplaced => ({
  path: path(fullPath),
  label: name,
  about: fullPath,
  icon: 'repo',
});

/** Pages and actions that a text finds, of each group. */
const MOST_NAMED = 5;

/** What the palette shows: what has the number, what can be done and pages by their names, and what is found. */
function entriesOf(data: PaletteQuery, facts: Facts): Entry[] {
  const { t } = facts;
  const words = wanted(facts.given).toLowerCase();
  const { find, recent, project } = data;
  const ofText = (entries: Unplaced[]) =>
    words === '' ? entries : entries.filter((entry) => entry.label.toLowerCase().includes(words)).slice(0, MOST_NAMED);
  const groups: [heading: string, entries: Unplaced[]][] = [
    [t('Issues'), [...(project?.issues?.nodes ?? []), ...(find?.issues.nodes ?? [])].map(subjectEntry('#'))],
    [
      t('Merge requests'),
      [...(project?.mergeRequests?.nodes ?? []), ...(find?.mergeRequests.nodes ?? [])].map(subjectEntry('!')),
    ],
    [t('Actions'), ofText(actions(project, facts))],
    ...(project ? [[project.name, ofText(projectPages(project, facts))] satisfies [string, Unplaced[]]] : []),
    [t('Projects'), [...(recent?.nodes ?? []), ...(find?.projects.nodes ?? [])].map(projectEntry)],
    [t('Pages'), ofText(ownPages(facts))],
    [
      t('People'),
      (find?.users.nodes ?? []).map(({ name, username }) => ({
        path: path(username),
        label: name,
        about: `@${username}`,
        icon: 'person',
      })),
    ],
  ];
  const found = groups.flatMap(([group, entries]) => entries.map((entry) => ({ ...entry, group })));
  const paths = new Set<string>();
  return found.filter((entry) => !paths.has(entry.path) && paths.add(entry.path));
}

const userChoices = json({
  path: '/-/choices',
  operation: UserChoicesDocument,
  variables: (given, { username }) => {
    const searched = wanted(given);
    const kind = text(given.kind);
    const list = Object.hasOwn(KINDS_ANYWHERE, kind) ? KINDS_ANYWHERE[kind] : undefined;
    if (username === null) return {};
    if (list !== undefined) return { text: searched, [list]: 'true' };
    return { text: searched, ...(searched !== '' && { hasText: 'true' }) };
  },
  found: (data) => data,
  answer: ({ users, projects, groups, namespaces }) => [
    ...(users?.nodes ?? []).map(person),
    ...(projects?.nodes ?? []).map(placeOf),
    ...(groups?.nodes ?? []).map(placeOf),
    ...(namespaces?.nodes ?? []).map(placeOf),
  ],
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
