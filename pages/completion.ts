import { type Facts, json } from '#pages/engine/row.ts';
import { CompletionDocument, type CompletionQuery } from '#src/generated/page_operations.ts';

/** What a text could go on with: what is inserted in place of the mark and the text behind it, and what tells it from others. */
interface Choice {
  insert: string;
  about: string;
  color?: string;
}

/** What a mark in a text begins: what is asked for, and the choices among what was found. */
interface Mark {
  asks: 'actions' | 'emojis' | 'users' | 'issues' | 'mergeRequests' | 'labels' | 'milestones';
  choices: (found: CompletionQuery, text: string, facts: Facts) => Choice[];
}

interface Numbered {
  nodes: readonly { iid: number; title: string }[];
}

/** One with the number that was written, and then those with it in their titles. */
function numbered(mark: string, text: string, ...lists: readonly (Numbered | null | undefined)[]): Choice[] {
  const [byNumber, byTitle] = lists.map((list) => list?.nodes ?? []);
  const isNumber = NUMBER.test(text);
  const all = [...(isNumber ? (byNumber ?? []) : []), ...(byTitle ?? [])];
  const found = new Map(all.map(({ iid, title }) => [iid, { insert: `${mark}${iid} `, about: title }]));
  return [...found.values()];
}

const NUMBER = /^\d{1,9}$/;

/** A title as references name it, in quotes if it is more than a word. */
const named = (mark: string, title: string) => (/^[\w.-]+$/.test(title) ? `${mark}${title} ` : `${mark}"${title}" `);

const MARKS: Record<string, Mark> = {
  '/': {
    asks: 'actions',
    choices: ({ quickActions = [] }, text, { given, t }) =>
      quickActions
        .filter(({ forIssues, forMergeRequests }) => (given.on === 'MergeRequest' ? forMergeRequests : forIssues))
        .filter(({ name }) => name.startsWith(text.toLowerCase()))
        .map(({ name, description, parameter }) => ({
          insert: parameter === null ? `/${name}\n` : `/${name} `,
          about: parameter === null ? t(description) : `${t(parameter)} · ${t(description)}`,
        })),
  },
  '@': {
    asks: 'users',
    choices: ({ project }) => {
      const members = project?.users?.nodes ?? [];
      const all = [...members, ...((project?.issue ?? project?.mergeRequest)?.participants.nodes ?? [])];
      const found = new Map(all.map(({ username, name }) => [username, { insert: `@${username} `, about: name }]));
      return [...found.values()];
    },
  },
  '#': {
    asks: 'issues',
    choices: ({ project }, text) => numbered('#', text, project?.numberedIssues, project?.issues),
  },
  '!': {
    asks: 'mergeRequests',
    choices: ({ project }, text) => numbered('!', text, project?.numberedMergeRequests, project?.mergeRequests),
  },
  '~': {
    asks: 'labels',
    choices: ({ project }) =>
      (project?.labels?.nodes ?? []).map(({ title, color }) => ({ insert: named('~', title), about: '', color })),
  },
  '%': {
    asks: 'milestones',
    choices: ({ project }) =>
      (project?.milestones?.nodes ?? []).map(({ title }) => ({ insert: named('%', title), about: '' })),
  },
  ':': {
    asks: 'emojis',
    choices: ({ emoji = [] }) =>
      emoji.slice(0, 10).map(({ name, character }) => ({ insert: `:${name}: `, about: character })),
  },
};

/** The variable that asks for those who take part in what a text is on. */
const SUBJECTS: Record<string, string> = { Issue: 'ofIssue', MergeRequest: 'ofMergeRequest' };

/** The mark that was written, and the text behind it. */
function writtenIn({ mark, text }: Facts['given']): { mark: Mark | undefined; text: string } {
  const known = typeof mark === 'string' && Object.hasOwn(MARKS, mark) ? MARKS[mark] : undefined;
  return { mark: known, text: typeof text === 'string' ? text : '' };
}

/** What texts of a project can name, for the script that completes them (`scripts/complete.js`). */
export const completion = [
  json({
    path: '/:project/-/completion',
    operation: CompletionDocument,
    variables: (given) => {
      const { mark, text } = writtenIn(given);
      const number = NUMBER.test(text) ? text : '0';
      const asked = { project: given.project, text, emoji: text, number, ...(mark && { [mark.asks]: 'true' }) };
      const subject = mark?.asks === 'users' && SUBJECTS[String(given.on)];
      return subject && NUMBER.test(String(given.iid)) ? { ...asked, iid: given.iid, [subject]: 'true' } : asked;
    },
    found: (data) => (data.project ? data : null),
    answer: (data, facts) => {
      const { mark, text } = writtenIn(facts.given);
      return mark ? mark.choices(data, text, facts) : [];
    },
  }),
];
