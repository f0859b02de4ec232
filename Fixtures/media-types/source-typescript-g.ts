Graph.register<Node>('root', (n: Node): void => { n.visit(); });
export type Visit = (n: Node) => void;
export type Visit = (n: Node) => void;
export type Visit = (n: Node) => void;
export type Visit = (n: Node) => void;
