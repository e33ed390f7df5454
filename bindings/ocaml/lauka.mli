(** Runs lauka and reads its results, which are JSON: schema/lauka-result.schema.json, version 1. *)

type result
(** The first command of a result, and all of its JSON. *)

type error =
  | Not_started of string  (** lauka itself could not be run *)
  | Failed of int * string  (** it wrote no result: its exit code, and its stderr *)
  | Not_a_result of string  (** what was read is no result of lauka 1 *)

val run :
  ?lauka:string -> ?options:string list -> ?events:string list -> string list -> (result, error) Stdlib.result
(** [run ~events:["cycles"; "instructions"] ["./program"; "--size"; "10"]] runs the program with these arguments as
    often as lauka thinks right; [options], such as ["-r1"], are for lauka. A program's failure is a [Failed]. *)

val load : string -> (result, error) Stdlib.result
(** Reads a file that [lauka --json=FILE] wrote. *)

val get_counter : string -> result -> int64 option
(** A metric's mean over all runs, in its own unit ("wall_time": nanoseconds), rounded, [Int64.max_int] at most; [None] if
    it was not measured. *)

val get_ipc : result -> float
(** Instructions per cycle; [nan] if one of them was not counted. *)

val wall_time_seconds : result -> float
(** The mean wall time of a run; [nan] if there is none. *)

val json : result -> Yojson.Safe.t
(** All that was read. *)

val string_of_error : error -> string
