type result = { json : Yojson.Safe.t; means : (string * float option) list }
type error = Not_started of string | Failed of int * string | Not_a_result of string

let string_of_error = function
  | Not_started why -> "lauka could not be run: " ^ why
  | Failed (code, text) -> Printf.sprintf "lauka failed with exit code %d: %s" code text
  | Not_a_result why -> "this is no result of lauka 1: " ^ why

let member name = function `Assoc members -> List.assoc_opt name members | _ -> None

exception No_mean of string

(* A metric and its mean. Yojson takes NaN and Infinity, too, which are no JSON. *)
let mean_of (name, metric) =
  let finite number = if Float.is_finite number then Some number else raise (No_mean name) in
  match member "mean" metric with
  | Some (`Int value) -> (name, Some (float_of_int value))
  | Some (`Intlit text) -> (name, finite (float_of_string text))
  | Some (`Float value) -> (name, finite value)
  | Some `Null -> (name, None)
  | _ -> raise (No_mean name)

let prefix = "lauka-result/1."

let is_known = function
  | Some (`String schema) ->
      String.length schema > String.length prefix && String.sub schema 0 (String.length prefix) = prefix
  | _ -> false

let read text =
  match Yojson.Safe.from_string text with
  | exception Yojson.Json_error why -> Error (Not_a_result why)
  | exception Stack_overflow -> Error (Not_a_result "it nests too deep")
  | json when not (is_known (member "schema" json)) -> Error (Not_a_result "it has another schema")
  | json -> (
      match member "results" json with
      | Some (`List (first :: _)) -> (
          match member "metrics" first with
          | Some (`Assoc metrics) -> (
              match List.map mean_of metrics with
              | means -> Ok { json; means }
              | exception No_mean name -> Error (Not_a_result ("the mean of " ^ name ^ " is no finite number")))
          | _ -> Error (Not_a_result "a command has no metrics"))
      | _ -> Error (Not_a_result "it has no commands"))

let read_all channel =
  let text = Buffer.create 65536 and block = Bytes.create 65536 in
  let rec go () =
    let size = input channel block 0 (Bytes.length block) in
    if size > 0 then (
      Buffer.add_subbytes text block 0 size;
      go ())
  in
  go ();
  Buffer.contents text

let with_file path read =
  let channel = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in_noerr channel) (fun () -> read channel)

let load path =
  match with_file path read_all with
  | exception Sys_error why -> Error (Not_a_result why)
  | text -> read text

(* Its stderr goes to a file, so that neither pipe can fill up while the other is read. *)
let execute words =
  let complaints = Filename.temp_file "lauka" ".stderr" in
  Fun.protect
    ~finally:(fun () -> Sys.remove complaints)
    (fun () ->
      let stderr = Unix.openfile complaints [ Unix.O_WRONLY; Unix.O_CLOEXEC ] 0o600 in
      let from, stdout = Unix.pipe ~cloexec:true () in
      let pid =
        Fun.protect
          ~finally:(fun () -> List.iter Unix.close [ stdout; stderr ])
          (fun () -> Unix.create_process (List.hd words) (Array.of_list words) Unix.stdin stdout stderr)
      in
      let channel = Unix.in_channel_of_descr from in
      let text = read_all channel in
      close_in channel;
      let code = match snd (Unix.waitpid [] pid) with WEXITED code -> code | WSIGNALED n | WSTOPPED n -> 128 + n in
      (code, text, String.trim (with_file complaints read_all)))

let run ?(lauka = "lauka") ?(options = []) ?(events = []) program =
  let counted = List.concat_map (fun event -> [ "-e"; event ]) events in
  match execute ((lauka :: "--json" :: "--quiet" :: counted) @ options @ ("--" :: program)) with
  | exception Unix.Unix_error (error, _, _) -> Error (Not_started (Unix.error_message error))
  | code, text, complaints -> if code = 0 then read text else Error (Failed (code, complaints))

let mean name result = Option.join (List.assoc_opt name result.means)

let get_counter name result =
  let most = Int64.to_float Int64.max_int in
  Option.map (fun value -> if value < most then Int64.of_float (Float.round value) else Int64.max_int) (mean name result)

let wall_time_seconds result = Option.fold ~none:nan ~some:(fun ns -> ns /. 1e9) (mean "wall_time" result)

let get_ipc result =
  match (mean "instructions" result, mean "cycles" result) with
  | Some instructions, Some cycles when cycles > 0. -> instructions /. cycles
  | _ -> nan

let json result = result.json
