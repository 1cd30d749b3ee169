/** Absolute path of the folder that holds `project/` and `resource/`. */
export declare const templatesRoot: string
