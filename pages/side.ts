/** A field by which something beside an issue or merge request is changed: a picker of what `from` answers, a day or a text. */
export interface SideField {
  name: string;
  label: string;
  kind?: 'date' | 'text';
  /** Address of what can be chosen. */
  from?: string;
  several?: boolean;
  value?: string | null | undefined;
  hint?: string;
}

/** The form that a section of the side column opens, for those who may change what it shows. */
export interface SideChange {
  action: string;
  fields: readonly SideField[];
  /** What its button says, `Apply` when absent. */
  button?: string;
  hidden?: Readonly<Record<string, string>>;
  values: Readonly<Record<string, unknown>>;
  problems: Readonly<Record<string, string>>;
}
