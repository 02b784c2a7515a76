import type { Field, Settings } from '#src/domain/integrations/base/field.ts';
import type { Kind, LinkedPage } from '#src/domain/integrations/base/kind.ts';
import { label } from '#src/platform/texts/texts.ts';

/** What stands for the number or key of an issue in a URL. */
const ID = ':id';

const ISSUES_URL: Field = {
  name: 'issues_url',
  title: label('URL of an issue'),
  type: 'url',
  hint: label('With “:id” where the number or key of the issue stands.'),
  required: true,
  check: (text) => (text.includes(ID) ? [] : ['must contain :id']),
};

const PROJECT_URL: Field = {
  name: 'project_url',
  title: label('URL of the project there'),
  type: 'url',
  required: true,
};

const NEW_ISSUE_URL: Field = {
  name: 'new_issue_url',
  title: label('URL to create an issue'),
  type: 'url',
  required: true,
};

const page = (title: string, { project_url: url }: Settings): LinkedPage[] =>
  url ? [{ title, url: String(url) }] : [];

/** An issue tracker elsewhere: references lead to its issues, and the navigation to its project. */
function tracker(slug: string, title: string, fields: readonly Field[], pattern?: RegExp): Kind {
  return {
    slug,
    title,
    description: label('Links issue references and the navigation of projects to an external issue tracker.'),
    fields,
    events: [],
    pages: (settings) => page(title, settings),
    issueUrl: (settings, written) => {
      const name = nameIn(written, pattern);
      const { issues_url: url } = settings;
      return name === null || !url ? null : String(url).replaceAll(ID, encodeURIComponent(name));
    },
  };
}

/** The number or key of an issue as it is written: `#12`, `ABC-12`. Null for what is no issue of this tracker. */
function nameIn(written: string, pattern: RegExp = /^(?:#(\d+)|([A-Z][A-Z0-9_]*-\d+))$/): string | null {
  const found = pattern.exec(written);
  return found?.slice(1).find((one) => one !== undefined) ?? null;
}

const ALL = [PROJECT_URL, ISSUES_URL, NEW_ISSUE_URL];
const WITHOUT_NEW = [PROJECT_URL, ISSUES_URL];

export const TRACKERS: readonly Kind[] = [
  tracker('bugzilla', label('Bugzilla'), ALL),
  tracker('clickup', label('ClickUp'), WITHOUT_NEW, /^(?:#(\d+)|CU-([a-z0-9]+)|([A-Z][A-Z0-9_]*-\d+))$/),
  tracker('custom-issue-tracker', label('Custom issue tracker'), ALL),
  tracker(
    'ewm',
    label('Engineering Workflow Management'),
    ALL,
    /^(?:#(\d+)|(?:bug|task|work item|workitem|rtcwi|defect) (\d+))$/,
  ),
  tracker('redmine', label('Redmine'), ALL),
  tracker('youtrack', label('YouTrack'), WITHOUT_NEW, /^(?:#(\d+)|([A-Z][A-Z0-9_]*-\d+))$/),
];

/** A wiki elsewhere, to which the navigation leads. */
export const externalWiki: Kind = {
  slug: 'external-wiki',
  title: label('External wiki'),
  description: label('Adds a link to an external wiki to the navigation of projects.'),
  events: [],
  fields: [{ name: 'external_wiki_url', title: label('URL of the wiki'), type: 'url', required: true }],
  pages: ({ external_wiki_url: url }) => (url ? [{ title: label('External wiki'), url: String(url) }] : []),
};
