import sanitizeHtml from 'sanitize-html';

/** Where a text is shown. */
export interface Surroundings {
  /** URL of the server, without a trailing slash. */
  baseUrl: string;
  /** Relative links lead into this project; without one they stay as they are. */
  project: { url: string; defaultBranch: string | null } | null;
  /** Where the file is that has the text: relative links lead from there. Without it they lead from the root of the default branch. */
  at?: { ref: string; directory: string } | undefined;
  /** The wiki whose page has the text: relative links lead to its pages and files. */
  wiki?: WikiSurroundings | undefined;
  /** Whether images are shown, rather than their texts. */
  images: boolean;
}

/** A page of a wiki. */
export interface WikiSurroundings {
  /** URL of the wiki, without a trailing slash. */
  url: string;
  /** Directory of the page; empty for one at the root. */
  directory: string;
}

/** Before each ID, so that none is one of the page around, nor the name of a property of its document. */
const OWN = 'user-content-';

/** Schemes of links that have a host, and of others: they lead to a place or to a person, and run or read nothing by themselves. */
const WITH_HOST = ['http', 'https', 'ftp'];
const OTHERS = ['mailto', 'tel', 'sms', 'xmpp', 'matrix', 'irc', 'ircs', 'ssh', 'git', 'vscode'];
const ABSOLUTE = new RegExp(String.raw`^(?:(?:${WITH_HOST.join('|')}):\/\/|(?:${OTHERS.join('|')}):)`, 'i');

/** A link is relative if it stays here. No link that may be kept has this scheme. */
const HERE = 'ws://relative.invalid';

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const BLOCKS = new Set(['p', 'ul', 'ol', 'blockquote', 'table', ...HEADINGS]);

const allowedTags = [
  ...BLOCKS,
  ...['pre', 'div', 'hr', 'br', 'li', 'dl', 'dt', 'dd', 'section', 'details', 'summary', 'figure', 'figcaption'],
  ...[
    'thead',
    'tbody',
    'tfoot',
    'tr',
    'th',
    'td',
    'caption',
    'a',
    'img',
    'input',
    'span',
    'code',
    'em',
    'strong',
    'b',
    'i',
  ],
  ...[
    's',
    'del',
    'ins',
    'strike',
    'u',
    'sub',
    'sup',
    'small',
    'mark',
    'kbd',
    'samp',
    'var',
    'q',
    'cite',
    'abbr',
    'dfn',
    'tt',
  ],
  ...['ruby', 'rt', 'rp', 'bdo', 'bdi', 'time', 'wbr'],
];

const cells = ['align', 'colspan', 'rowspan'];
const allowedAttributes = {
  '*': ['id', 'dir', 'title'],
  a: ['href', 'rel', 'data-reference-type', 'data-id'],
  img: ['src', 'alt', 'width', 'height'],
  input: ['type', 'disabled', 'checked', 'aria-label'],
  ol: ['start', 'type', 'reversed'],
  li: ['value'],
  th: cells,
  td: cells,
  details: ['open'],
  time: ['datetime'],
};
const allowedClasses = {
  a: ['gfm', 'gfm-*', 'footnote-backref'],
  code: ['language-*', 'math', 'math-display'],
  div: ['markdown-alert', 'markdown-alert-*'],
  p: ['markdown-alert-title'],
  span: ['hljs-*'],
  sup: ['footnote-ref'],
  hr: ['footnotes-sep'],
  section: ['footnotes'],
  ol: ['footnotes-list', 'task-list'],
  ul: ['task-list', 'section-nav'],
  li: ['footnote-item', 'task-list-item'],
  input: ['task-list-item-checkbox'],
};

/** The HTML without all that is not on the lists above: no scripts, styles, forms or frames, and links of known schemes alone. */
export function sanitize(html: string, surroundings: Surroundings): string {
  return sanitizeHtml(html, {
    allowedTags,
    allowedAttributes,
    allowedClasses,
    allowedSchemes: [...WITH_HOST, ...OTHERS],
    allowedSchemesByTag: { img: ['http', 'https'] },
    allowProtocolRelative: false,
    nestingLimit: 200,
    nonTextTags: ['script', 'style', 'textarea', 'xmp'],
    transformTags: {
      a: (tagName, { rel: _rel, name, href, ...attribs }) => {
        const id = attribs.id ?? name;
        const own = id === undefined ? attribs : { ...attribs, id };
        return { tagName, attribs: href === undefined ? own : { ...own, ...linkTo(href, surroundings) } };
      },
      img: (tagName, { src, ...attribs }) => {
        if (!surroundings.images) return { tagName: 'span', attribs: {}, text: attribs.alt ?? '' };
        const url = src === undefined ? undefined : leadTo(src, 'raw', surroundings);
        return { tagName, attribs: url === undefined ? attribs : { ...attribs, src: url } };
      },
      input: (tagName, { checked, class: name, 'aria-label': label }) => ({
        tagName,
        attribs: {
          type: 'checkbox',
          ...(name !== undefined && { class: name }),
          ...(label !== undefined && { 'aria-label': label }),
          disabled: '',
          ...(checked !== undefined && { checked: '' }),
        },
      }),
      '*': (tagName, attribs) => ({ tagName, attribs: asHere(tagName, attribs) }),
    },
  });
}

/** Attributes as they are for any tag. The alignment of columns comes as a style. */
function asHere(tagName: string, { id, style, ...attribs }: Record<string, string>): Record<string, string> {
  const [, align] = /^text-align:(left|center|right)$/.exec(style ?? '') ?? [];
  return {
    ...(BLOCKS.has(tagName) && { dir: 'auto' }),
    ...attribs,
    ...(align !== undefined && { align }),
    ...(id !== undefined && { id: id.startsWith(OWN) ? id : `${OWN}${id}` }),
  };
}

/** The attributes of a link: pages elsewhere learn nothing of the one that it is on, and gain nothing by it. */
function linkTo(written: string, surroundings: Surroundings): Record<string, string> {
  const href = leadTo(written, 'blob', surroundings);
  if (href === undefined) return {};
  const url = URL.parse(href);
  const isElsewhere =
    url !== null && /^(?:https?|ftp):$/.test(url.protocol) && url.origin !== URL.parse(surroundings.baseUrl)?.origin;
  return { href, ...(isElsewhere && { rel: 'nofollow noreferrer noopener' }) };
}

/** Where a link leads; undefined if it must not be followed. */
function leadTo(
  written: string,
  page: 'blob' | 'raw',
  { baseUrl, project, at, wiki }: Surroundings,
): string | undefined {
  const href = written.trim();
  if (ABSOLUTE.test(href)) return href;
  const directory = wiki && !isBesideWikiPage(href) ? '' : (wiki ?? at)?.directory;
  const url = URL.parse(
    href,
    `${HERE}/${directory ? `${directory.split('/').map(encodeURIComponent).join('/')}/` : ''}`,
  );
  if (url === null || !url.href.startsWith(`${HERE}/`)) return undefined;
  const path = `${url.pathname}${url.search}${url.hash}`;
  if (href.startsWith('#')) return href.startsWith(`#${OWN}`) ? href : `#${OWN}${href.slice(1)}`;
  if (wiki && href !== '' && !path.startsWith('/-/')) return `${wiki.url}${path.replace(MARKDOWN_ENDING, '')}`;
  if (project === null || href === '') return href;
  if (/^\/uploads\/[0-9a-f]{32}\//.test(path)) return `${project.url}${path}`;
  if (path.startsWith('/-/')) return `${baseUrl}${path}`;
  const ref = at?.ref ?? project.defaultBranch;
  if (ref === null) return href;
  return `${project.url}/-/${page}/${encodeURI(ref.toWellFormed()).replace(/[?#]/g, encodeURIComponent)}${path}`;
}

/** Pages are found without the ending of their file. */
const MARKDOWN_ENDING = /\.(?:md|markdown|mdown|mkdn?)(?=$|[?#])/i;

/** Whether a link in a page of a wiki begins at the directory of the page: dots and names of files do, slugs and attachments do not. */
function isBesideWikiPage(href: string): boolean {
  if (href.startsWith('.')) return true;
  return !href.startsWith('uploads/') && /\.\w{1,10}(?=$|[?#])/.test(href);
}
