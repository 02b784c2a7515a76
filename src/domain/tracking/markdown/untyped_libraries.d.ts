/* What is used here of libraries that come without types. */

declare module 'markdown-it-footnote' {
  import type MarkdownIt from 'markdown-it';

  export default function footnotes(parser: MarkdownIt): void;
}

declare module 'sanitize-html' {
  type Attributes = Record<string, string>;

  interface Options {
    allowedTags: readonly string[];
    allowedAttributes: Readonly<Record<string, readonly string[]>>;
    allowedClasses: Readonly<Record<string, readonly string[]>>;
    allowedSchemes: readonly string[];
    allowedSchemesByTag: Readonly<Record<string, readonly string[]>>;
    allowProtocolRelative: boolean;
    nestingLimit: number;
    nonTextTags: readonly string[];
    transformTags: Readonly<
      Record<string, (tagName: string, attribs: Attributes) => { tagName: string; attribs: Attributes; text?: string }>
    >;
  }

  export default function sanitizeHtml(html: string, options: Options): string;
}
